package dev.millrace.cli.network;

import dev.millrace.cli.terminal.Colour;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.PipeStretch;
import dev.millrace.cluster.query.PipeLayers;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Formats the pipes of a network as text and as JSON. */
final class PipeListText {
  private static final int PICTURE = 48;
  private static final int HASH = 12;

  private PipeListText() {}

  static String text(List<NodeState> states, boolean colourful) {
    StringBuilder out = new StringBuilder();
    for (NodeState origin : states) {
      for (ModelRequirements need : origin.needs()) {
        model(out, states, origin, need, colourful);
      }
    }
    if (out.isEmpty()) {
      out.append("no origin: no server with --end-model is in the network, so there is no pipe\n");
    }
    clashes(states).forEach(line -> out.append("Warning: ").append(line).append('\n'));
    return out.toString();
  }

  private static void model(
      StringBuilder out,
      List<NodeState> states,
      NodeState origin,
      ModelRequirements need,
      boolean colourful) {
    String title = NodeListText.model(need.model());
    out.append(colourful ? Colour.BOLD.of(title) : title);
    out.append(", ").append(NumberText.of(need.layers(), "layer"));
    out.append(", sha256 ").append(shortened(need.sha256()));
    out.append(", origin ").append(origin.name()).append('\n');
    boolean any = false;
    for (PipeState pipe : origin.pipes()) {
      if (pipe.sha256().equals(need.sha256())) {
        any = true;
        pipe(out, states, pipe, colourful);
      }
    }
    if (!any) {
      out.append("  no pipe yet\n");
    }
    for (String node : origin.expelled()) {
      out.append("  ").append(node).append(" returned wrong results and is excluded\n");
    }
  }

  private static void pipe(
      StringBuilder out, List<NodeState> states, PipeState pipe, boolean colourful) {
    Colour colour = pipe.waitingReason().isEmpty() ? Colour.GREEN : Colour.YELLOW;
    PipeLayers where = PipeLayers.of(states, pipe);
    String picture = where.picture(PICTURE);
    out.append("  pipe ").append(pipe.number()).append("  ");
    out.append(colourful ? colour.of(picture) : picture).append("  ");
    if (pipe.waitingReason().isEmpty()) {
      out.append("runs ").append(NumberText.of(pipe.running(), "sequence"));
      if (pipe.tokensPerSecond() > 0) {
        out.append(String.format(Locale.ROOT, ", %.1f tokens/s", pipe.tokensPerSecond()));
      }
      out.append('\n');
    } else {
      out.append("waits: ").append(SanitizedText.line(pipe.waitingReason(), 300)).append('\n');
    }
    if (!where.stretches().isEmpty()) {
      List<String> parts = new ArrayList<>();
      for (PipeStretch stretch : where.stretches()) {
        parts.add(new LayerRange(stretch.from(), stretch.to()) + " " + stretch.node());
      }
      out.append("    layers ").append(String.join(", ", parts)).append('\n');
    }
    List<LayerRange> missing = where.missing();
    if (!missing.isEmpty()) {
      out.append("    missing ").append(joined(missing)).append('\n');
    }
  }

  private static String joined(Collection<LayerRange> ranges) {
    return String.join(", ", ranges.stream().map(LayerRange::toString).toList());
  }

  /** Warnings about different models with the same name. */
  static List<String> clashes(List<NodeState> states) {
    List<String> lines = new ArrayList<>();
    hashes(states)
        .forEach(
            (name, hashes) -> {
              if (hashes.size() > 1) {
                lines.add(clash(name, hashes));
              }
            });
    return lines;
  }

  /** The nodes by model name and hash. */
  private static Map<String, Map<String, TreeSet<String>>> hashes(List<NodeState> states) {
    Map<String, Map<String, TreeSet<String>>> byName = new TreeMap<>();
    for (NodeState state : states) {
      state.needs().forEach(need -> seen(byName, need.model(), need.sha256(), state));
      state.holdings().forEach(held -> seen(byName, held.model(), held.sha256(), state));
    }
    return byName;
  }

  private static void seen(
      Map<String, Map<String, TreeSet<String>>> byName,
      String name,
      String sha256,
      NodeState state) {
    if (sha256.isEmpty()) {
      return; // its hash is not known yet
    }
    byName
        .computeIfAbsent(NodeListText.model(name), _ -> new TreeMap<>())
        .computeIfAbsent(sha256, _ -> new TreeSet<>())
        .add(state.name());
  }

  private static String clash(String name, Map<String, TreeSet<String>> hashes) {
    List<String> parts = new ArrayList<>();
    hashes.forEach(
        (sha256, nodes) -> parts.add(shortened(sha256) + " at " + String.join(", ", nodes)));
    return "models of the same name differ: "
        + name
        + " is "
        + String.join("; ", parts)
        + "; their layers are never in one pipe";
  }

  private static String shortened(String sha256) {
    return sha256.length() > HASH ? sha256.substring(0, HASH) : sha256;
  }

  /** One object on one line. */
  static String json(List<NodeState> states) {
    List<JsonObject> pipes = new ArrayList<>();
    for (NodeState origin : states) {
      origin.pipes().forEach(pipe -> pipes.add(json(states, origin, pipe)));
    }
    List<String> expelled =
        states.stream().flatMap(state -> state.expelled().stream()).distinct().sorted().toList();
    return Json.write(
            JsonObject.create()
                .put("pipes", pipes)
                .put("expelled", expelled)
                .put("warnings", clashes(states)))
        + "\n";
  }

  private static JsonObject json(List<NodeState> states, NodeState origin, PipeState pipe) {
    PipeLayers where = PipeLayers.of(states, pipe);
    List<JsonObject> stretches = new ArrayList<>();
    for (PipeStretch stretch : where.stretches()) {
      stretches.add(
          JsonObject.create()
              .put("node", stretch.node())
              .put("first", stretch.from())
              .put("last", stretch.to() - 1));
    }
    return JsonObject.create()
        .put("model", pipe.model())
        .put("sha256", pipe.sha256())
        .put("layers", pipe.layers())
        .put("origin", origin.name())
        .put("pipe", pipe.number())
        .put("epoch", pipe.epoch())
        .put("picture", where.picture(PICTURE))
        .put("stretches", stretches)
        .put("missing", where.missing().stream().map(LayerRange::toString).toList())
        .put("waiting", pipe.waitingReason())
        .put("running", pipe.running())
        .put("tokens_per_second", pipe.tokensPerSecond());
  }
}
