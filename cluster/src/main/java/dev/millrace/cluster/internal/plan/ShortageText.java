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

/** Says why no pipe can run, in words that change only when the reason does. Pure. */
final class ShortageText {
  private ShortageText() {}

  /** Who has which layers now, with gaps: the first by name where several have one. */
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

  /** The layers that nobody has: each run of them that was last held by the same node. */
  static List<String> missing(
      List<LayerRange> ranges,
      IntFunction<@Nullable String> lastHolder,
      Function<String, String> fate) {
    List<String> words = new ArrayList<>();
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
        String last = holder == null ? nobody : "last at " + holder + fate.apply(holder);
        words.add(
            "%s %s missing (%s)"
                .formatted(describe(new LayerRange(from, to)), one ? "is" : "are", last));
        from = to;
      }
    }
    return words;
  }

  /** The layers that are on their way, and where. */
  static List<String> coming(List<LayerRange> ranges, List<CandidateNode> candidates) {
    List<String> words = new ArrayList<>();
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
      String are = range.length() == 1 ? "is" : "are";
      words.add("%s %s being loaded%s".formatted(describe(range), are, where));
    }
    return words;
  }

  /** As people say it. */
  static String describe(LayerRange range) {
    return (range.length() == 1 ? "layer " : "layers ") + range;
  }

  /**
   * That nobody has the memory for any layer that is missing; null where that is not the reason.
   *
   * @param givers nodes that would take layers
   */
  static @Nullable String memoryShortage(
      ModelRequirements need, List<LayerRange> missing, List<CandidateNode> givers) {
    long least =
        missing.stream()
            .flatMapToInt(range -> IntStream.range(range.from(), range.to()))
            .mapToLong(layer -> need.layerBytes().get(layer) + need.cacheBytes())
            .min()
            .orElse(0);
    if (givers.isEmpty() || givers.stream().anyMatch(giver -> giver.free() >= least)) {
      return null;
    }
    String free =
        givers.stream()
            .map(giver -> giver.node() + " " + mebibytes(giver.free(), false))
            .collect(Collectors.joining(", "));
    return "a layer needs %s with its cache; free: %s; give nodes more --memory, or this server "
            .formatted(mebibytes(least, true), free)
        + "fewer --slots or a smaller --ctx";
  }

  /** A need is rounded up, what there is down: the two never look as if it would fit. */
  private static String mebibytes(long bytes, boolean up) {
    long unit = bytes >= 1 << 20 ? 1 << 20 : 1 << 10;
    return (up ? Math.ceilDiv(bytes, unit) : bytes / unit) + (unit == 1 << 20 ? " MiB" : " KiB");
  }
}
