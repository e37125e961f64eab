package dev.millrace.api.server;

import dev.millrace.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node of a network.
 *
 * @param memoryBytes that layers and caches may take; 0 if it accepts no requests for layers
 * @param usedBytes of these that are taken
 * @param cacheBytes reserved for keys and values
 * @param sessions pipes through it that are open
 * @param passages sequences in its cache
 * @param protocol the version of the network's protocol
 * @param numerics the version of the arithmetic that all models share: only equal ones share a pipe
 * @param weightNumerics the versions of the arithmetic by weight format, such as {@code q8_0=1+2};
 *     null if all are at version 1
 * @param originOf models whose end it has
 */
public record NodeOverview(
    String name,
    String address,
    long memoryBytes,
    long usedBytes,
    long cacheBytes,
    int sessions,
    int passages,
    int protocol,
    int numerics,
    @Nullable String weightNumerics,
    List<Holding> holdings,
    List<EndModel> originOf) {

  public NodeOverview {
    holdings = List.copyOf(holdings);
    originOf = List.copyOf(originOf);
  }

  /**
   * Layers that a node holds or is loading.
   *
   * @param first the first layer, from 0
   * @param last the last layer, included
   * @param layers of the whole model; 0 while unknown
   * @param state fetching, loading, loaded or failed
   * @param bytesPerSecond of weights, in a step of one token; 0 before it was measured
   * @param problem why loading failed, or the progress of a fetch; else null
   */
  public record Holding(
      String model,
      String sha256,
      int first,
      int last,
      int layers,
      String state,
      long bytes,
      long bytesPerSecond,
      @Nullable String problem) {

    static Holding fromJson(JsonObject in) {
      return new Holding(
          in.string("model"),
          in.string("sha256"),
          (int) in.integer("first"),
          (int) in.integer("last"),
          (int) in.integer("layers"),
          in.string("state"),
          in.integer("bytes"),
          in.integer("bytesPerSecond"),
          in.string("problem", null));
    }

    JsonObject toJson() {
      return JsonObject.create()
          .put("model", model)
          .put("sha256", sha256)
          .put("first", first)
          .put("last", last)
          .put("layers", layers)
          .put("state", state)
          .put("bytes", bytes)
          .put("bytesPerSecond", bytesPerSecond)
          .putIfPresent("problem", problem);
    }
  }

  /**
   * A model whose end is at a node.
   *
   * @param localLayers that the same node computes
   */
  public record EndModel(String model, int layers, int localLayers) {
    static EndModel fromJson(JsonObject in) {
      return new EndModel(
          in.string("model"), (int) in.integer("layers"), (int) in.integer("localLayers"));
    }

    JsonObject toJson() {
      return JsonObject.create()
          .put("model", model)
          .put("layers", layers)
          .put("localLayers", localLayers);
    }
  }

  static NodeOverview fromJson(JsonObject in) {
    return new NodeOverview(
        in.string("name"),
        in.string("address"),
        in.integer("memoryBytes"),
        in.integer("usedBytes"),
        in.integer("cacheBytes"),
        (int) in.integer("sessions"),
        (int) in.integer("passages"),
        (int) in.integer("protocol"),
        (int) in.integer("numerics"),
        in.string("weightNumerics", null),
        ObjectLists.read(in, "holdings", Holding::fromJson),
        ObjectLists.read(in, "originOf", EndModel::fromJson));
  }

  JsonObject toJson() {
    return JsonObject.create()
        .put("name", name)
        .put("address", address)
        .put("memoryBytes", memoryBytes)
        .put("usedBytes", usedBytes)
        .put("cacheBytes", cacheBytes)
        .put("sessions", sessions)
        .put("passages", passages)
        .put("protocol", protocol)
        .put("numerics", numerics)
        .putIfPresent("weightNumerics", weightNumerics)
        .put("holdings", ObjectLists.write(holdings, Holding::toJson))
        .put("originOf", ObjectLists.write(originOf, EndModel::toJson));
  }
}
