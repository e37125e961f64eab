package dev.millrace.api.server;

import dev.millrace.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline through nodes that serves a model.
 *
 * @param origin the node with the model's end
 * @param number at its origin, from 0
 * @param waitReason why it does not run; null while it runs
 * @param running sequences in it
 * @param stretches who computes which layers, in order
 * @param missing layers that nobody holds or loads
 */
public record PipeOverview(
    String model,
    String sha256,
    String origin,
    int layers,
    int number,
    @Nullable String waitReason,
    int running,
    double tokensPerSecond,
    List<Stretch> stretches,
    List<Layers> missing) {

  public PipeOverview {
    stretches = List.copyOf(stretches);
    missing = List.copyOf(missing);
  }

  /** Layers that one node computes, both included. */
  public record Stretch(String node, int first, int last) {
    static Stretch fromJson(JsonObject in) {
      return new Stretch(in.string("node"), (int) in.integer("first"), (int) in.integer("last"));
    }

    JsonObject toJson() {
      return JsonObject.create().put("node", node).put("first", first).put("last", last);
    }
  }

  /** Layers from the first to the last, both included. */
  public record Layers(int first, int last) {
    static Layers fromJson(JsonObject in) {
      return new Layers((int) in.integer("first"), (int) in.integer("last"));
    }

    JsonObject toJson() {
      return JsonObject.create().put("first", first).put("last", last);
    }
  }

  /** Whether it runs. */
  public boolean ready() {
    return waitReason == null;
  }

  static PipeOverview fromJson(JsonObject in) {
    return new PipeOverview(
        in.string("model"),
        in.string("sha256"),
        in.string("origin"),
        (int) in.integer("layers"),
        (int) in.integer("number"),
        in.string("waitReason", null),
        (int) in.integer("running"),
        in.number("tokensPerSecond", 0),
        ObjectLists.read(in, "stretches", Stretch::fromJson),
        ObjectLists.read(in, "missing", Layers::fromJson));
  }

  JsonObject toJson() {
    return JsonObject.create()
        .put("model", model)
        .put("sha256", sha256)
        .put("origin", origin)
        .put("layers", layers)
        .put("number", number)
        .put("ready", ready())
        .putIfPresent("waitReason", waitReason)
        .put("running", running)
        .put("tokensPerSecond", tokensPerSecond)
        .put("stretches", ObjectLists.write(stretches, Stretch::toJson))
        .put("missing", ObjectLists.write(missing, Layers::toJson));
  }
}
