package dev.millrace.api.server;

import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server at this moment.
 *
 * @param name of the server in the logs of jobs
 * @param state STARTING, RUNNING, DRAINING, STOPPING or STOPPED
 * @param starting what it still does before it is ready; null if nothing
 * @param slots how many tasks it runs at once; 0 while it starts
 * @param types of the tasks that it has workers for
 * @param nodes of the networks that its models have joined
 * @param pipes in these networks
 * @param audits null if no model is spread over nodes
 */
public record ServerOverview(
    String name,
    String version,
    String state,
    @Nullable String starting,
    Instant startTime,
    int slots,
    Store store,
    List<String> types,
    List<ModelOverview> models,
    List<NodeOverview> nodes,
    List<PipeOverview> pipes,
    @Nullable Audits audits) {

  public ServerOverview {
    types = List.copyOf(types);
    models = List.copyOf(models);
    nodes = List.copyOf(nodes);
    pipes = List.copyOf(pipes);
  }

  /**
   * Where its jobs are.
   *
   * @param kind such as workspace or postgresql
   * @param shared whether other servers run tasks of the same jobs
   */
  public record Store(String kind, boolean shared) {}

  /**
   * What its audits of other nodes found since it started.
   *
   * @param rate the share of sequences that are audited, 0 to 1
   * @param expelled names of nodes that returned wrong results
   */
  public record Audits(double rate, long passed, long failed, List<String> expelled) {
    public Audits {
      expelled = List.copyOf(expelled);
    }
  }

  public static ServerOverview fromJson(JsonObject in) {
    JsonObject store = in.object("store");
    return new ServerOverview(
        in.string("name"),
        in.string("version"),
        in.string("state"),
        in.string("starting", null),
        Instant.parse(in.string("startTime")),
        (int) in.integer("slots"),
        new Store(store.string("kind"), store.flag("shared", false)),
        ObjectLists.strings(in, "types"),
        ObjectLists.read(in, "models", ModelOverview::fromJson),
        ObjectLists.read(in, "nodes", NodeOverview::fromJson),
        ObjectLists.read(in, "pipes", PipeOverview::fromJson),
        in.has("audits") ? audits(in.object("audits")) : null);
  }

  private static Audits audits(JsonObject in) {
    return new Audits(
        in.number("rate", 0),
        in.integer("passed"),
        in.integer("failed"),
        ObjectLists.strings(in, "expelled"));
  }

  public JsonObject toJson() {
    JsonObject out =
        JsonObject.create()
            .put("name", name)
            .put("version", version)
            .put("state", state)
            .putIfPresent("starting", starting)
            .put("startTime", startTime.toString())
            .put("slots", slots)
            .put("store", JsonObject.create().put("kind", store.kind).put("shared", store.shared))
            .put("types", types)
            .put("models", ObjectLists.write(models, ModelOverview::toJson))
            .put("nodes", ObjectLists.write(nodes, NodeOverview::toJson))
            .put("pipes", ObjectLists.write(pipes, PipeOverview::toJson));
    if (audits != null) {
      out.put(
          "audits",
          JsonObject.create()
              .put("rate", audits.rate)
              .put("passed", audits.passed)
              .put("failed", audits.failed)
              .put("expelled", audits.expelled));
    }
    return out;
  }
}
