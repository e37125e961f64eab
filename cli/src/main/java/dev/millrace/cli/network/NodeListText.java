package dev.millrace.cli.network;

import dev.millrace.cli.model.ModelChoice;
import dev.millrace.cli.terminal.Colour;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cli.terminal.TextTable;
import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.NodeState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the states of nodes as a table and as JSON. */
final class NodeListText {
  private static final int MODEL_WIDTH = 40;

  private NodeListText() {}

  /**
   * A line for each node, more if it holds several ranges; below, the problems of layers that could
   * not be loaded.
   */
  static String table(List<NodeState> states, boolean colourful) {
    TextTable table =
        new TextTable(
            "NAME", "ADDRESS", "HOLDS", "STATE", ">SPEED", ">MEMORY", ">SESSIONS", ">PASSAGES");
    StringBuilder problems = new StringBuilder();
    for (NodeState state : states) {
      state.holdings().forEach(holding -> problem(problems, state, holding));
      List<Part> parts = parts(state);
      for (int i = 0; i < parts.size(); i++) {
        Part part = parts.get(i);
        boolean first = i == 0;
        table.row(
            first ? state.name() : "",
            first ? state.linkAddress() : "",
            part.holds(),
            new TextTable.Cell(part.state(), part.colour()),
            part.speed(),
            first ? memory(state) : "",
            first ? state.sessions() : "",
            first ? state.sequences() : "");
      }
    }
    return table.text(colourful) + problems;
  }

  private static void problem(StringBuilder out, NodeState state, HeldLayers holding) {
    if (!holding.problem().isEmpty()) {
      out.append(state.name()).append(", ").append(holds(holding)).append(": ");
      out.append(SanitizedText.line(holding.problem(), 500)).append('\n');
    }
  }

  private static String holds(HeldLayers holding) {
    return model(holding.model()) + ":" + layers(holding);
  }

  /** What a node holds: layers, or a model's end. */
  private record Part(String holds, String state, Colour colour, String speed) {}

  private static List<Part> parts(NodeState state) {
    List<Part> parts = new ArrayList<>();
    for (ModelRequirements need : state.needs()) {
      String layers = need.local() == 0 ? "end" : "end+" + new LayerRange(0, need.local());
      parts.add(new Part(model(need.model()) + ":" + layers, "origin", Colour.BLUE, "-"));
    }
    for (HeldLayers holding : state.holdings()) {
      parts.add(part(holding));
    }
    if (parts.isEmpty()) {
      parts.add(new Part("-", "empty", Colour.GREY, "-"));
    }
    return parts;
  }

  private static Part part(HeldLayers holding) {
    return new Part(
        holds(holding),
        holding.state().name().toLowerCase(Locale.ROOT),
        switch (holding.state()) {
          case LOADED -> Colour.GREEN;
          case FETCHING, LOADING -> Colour.YELLOW;
          case FAILED -> Colour.RED;
        },
        holding.speed() > 0 ? NumberText.bytes((long) holding.speed()) + "/s" : "-");
  }

  /** A model's display name, from a file name of another machine. */
  static String model(String name) {
    return SanitizedText.line(ModelChoice.stem(name), MODEL_WIDTH);
  }

  static String layers(HeldLayers holding) {
    return new LayerRange(holding.from(), holding.to()).toString();
  }

  private static String memory(NodeState state) {
    long allowed = state.memory();
    return NumberText.bytes(state.used())
        + (allowed == 0 ? "" : " of " + NumberText.bytes(allowed));
  }

  /** One object on one line. */
  static String json(List<NodeState> states) {
    List<JsonObject> nodes = states.stream().map(NodeListText::json).toList();
    return Json.write(JsonObject.create().put("nodes", nodes)) + "\n";
  }

  private static JsonObject json(NodeState state) {
    List<JsonObject> holdings = new ArrayList<>();
    state.holdings().forEach(holding -> holdings.add(json(holding)));
    List<JsonObject> origins = new ArrayList<>();
    for (ModelRequirements need : state.needs()) {
      origins.add(
          JsonObject.create()
              .put("model", need.model())
              .put("sha256", need.sha256())
              .put("layers", need.layers())
              .put("local_layers", need.local()));
    }
    String formats = state.numerics().formatsText();
    return JsonObject.create()
        .put("name", state.name())
        .put("address", state.linkAddress().toString())
        .put("protocol", state.protocol())
        .put("numerics", state.numerics().common())
        .putIfPresent("weight_numerics", formats.isEmpty() ? null : formats)
        .put("memory_bytes", state.memory())
        .put("used_bytes", state.used())
        .put("cache_bytes", state.cacheBytes())
        .put("sessions", state.sessions())
        .put("passages", state.sequences())
        .put("holdings", holdings)
        .put("origin_of", origins)
        .put("files", state.files())
        .put("expelled", state.expelled());
  }

  private static JsonObject json(HeldLayers holding) {
    JsonObject out =
        JsonObject.create()
            .put("model", holding.model())
            .put("sha256", holding.sha256())
            .put("first", holding.from())
            .put("last", holding.to() - 1)
            .put("layers", holding.layers())
            .put("state", holding.state().name().toLowerCase(Locale.ROOT))
            .put("bytes", holding.bytes())
            .put("bytes_per_second", (long) holding.speed());
    return holding.problem().isEmpty() ? out : out.put("problem", holding.problem());
  }
}
