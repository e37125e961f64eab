package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.PipeStretch;
import dev.millrace.cluster.internal.place.CandidateNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Says why no pipe can run; the text changes only when the reason does. Pure functions. */
final class ShortageText {
  private ShortageText() {}

  /** Which node has which layers now, with gaps; of several nodes, the first by name. */
  static List<PipeStretch> stretches(
      ModelRequirements need, String origin, List<CandidateNode> candidates) {
    List<PipeStretch> stretches = new ArrayList<>();
    for (int layer = 0; layer < need.layers(); layer++) {
      String holder = layer < need.local() ? origin : holder(layer, candidates);
      PipeStretch last = stretches.isEmpty() ? null : stretches.getLast();
      if (holder == null) {
        continue;
      }
      if (last != null && last.to() == layer && last.node().equals(holder)) {
        stretches.set(stretches.size() - 1, new PipeStretch(holder, last.from(), layer + 1));
      } else {
        stretches.add(new PipeStretch(holder, layer, layer + 1));
      }
    }
    return stretches;
  }

  private static @Nullable String holder(int layer, List<CandidateNode> candidates) {
    for (CandidateNode candidate : candidates) {
      if (has(candidate.loaded(), layer)) {
        return candidate.node();
      }
    }
    return null;
  }

  private static boolean has(List<LayerRange> ranges, int layer) {
    return ranges.stream().anyMatch(range -> range.from() <= layer && layer < range.to());
  }

  /** The missing layers, as runs that the same node held last. */
  static List<String> missing(
      List<LayerRange> ranges,
      IntFunction<@Nullable String> lastHolder,
      Function<String, String> suffix) {
    List<String> texts = new ArrayList<>();
    for (LayerRange range : ranges) {
      int from = range.from();
      while (from < range.to()) {
        String holder = lastHolder.apply(from);
        int to = from + 1;
        while (to < range.to() && Objects.equals(holder, lastHolder.apply(to))) {
          to++;
        }
        boolean one = to - from == 1;
        String nobody = "no node had " + (one ? "it" : "them");
        String last = holder == null ? nobody : "last at " + holder + suffix.apply(holder);
        texts.add(
            "%s %s missing (%s)"
                .formatted(new LayerRange(from, to).describe(), one ? "is" : "are", last));
        from = to;
      }
    }
    return texts;
  }

  /** The layers that are being loaded, and where. */
  static List<String> coming(List<LayerRange> ranges, List<CandidateNode> candidates) {
    List<String> texts = new ArrayList<>();
    for (LayerRange range : ranges) {
      List<String> at = new ArrayList<>();
      for (CandidateNode candidate : candidates) {
        for (int layer = range.from(); layer < range.to(); layer++) {
          if (has(candidate.coming(), layer)) {
            at.add(candidate.node());
            break;
          }
        }
      }
      String where = at.isEmpty() ? "" : " at " + String.join(", ", at);
      String are = range.choose("is", "are");
      texts.add("%s %s being loaded%s".formatted(range.describe(), are, where));
    }
    return texts;
  }

  /**
   * Says that no node has memory for any missing layer; null if that is not the reason.
   *
   * @param nodes nodes that accept requests for layers
   */
  static @Nullable String memoryShortage(
      ModelRequirements need, List<LayerRange> missing, List<CandidateNode> nodes) {
    long least =
        missing.stream()
            .flatMapToInt(range -> IntStream.range(range.from(), range.to()))
            .mapToLong(layer -> need.layerBytes().get(layer) + need.cacheBytes())
            .min()
            .orElse(0);
    if (nodes.isEmpty() || nodes.stream().anyMatch(node -> node.free() >= least)) {
      return null;
    }
    String free =
        nodes.stream()
            .map(node -> node.node() + " " + mebibytes(node.free(), false))
            .collect(Collectors.joining(", "));
    return "a layer needs %s with its cache; free: %s; give nodes more --memory, or this server "
            .formatted(mebibytes(least, true), free)
        + "fewer --slots or a smaller --ctx";
  }

  /** Needs are rounded up and free memory down, so the text never looks as if it would fit. */
  private static String mebibytes(long bytes, boolean up) {
    long unit = bytes >= 1 << 20 ? 1 << 20 : 1 << 10;
    return (up ? Math.ceilDiv(bytes, unit) : bytes / unit) + (unit == 1 << 20 ? " MiB" : " KiB");
  }
}
