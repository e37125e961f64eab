package dev.millrace.api.server;

import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A model of a server.
 *
 * @param standard whether tasks to generate use it that name no model; {@code default} in JSON
 * @param generates whether it generates text
 * @param embeds whether it turns texts into vectors
 * @param quantization how most weights are stored; empty if the file has none
 * @param context the most positions of a sequence here
 * @param bytes of its files
 * @param sha256 of its file; null while it is not in memory
 * @param batch what it computes; null unless it is loaded to generate
 * @param remote null: the whole model is loaded here
 */
public record ModelOverview(
    String name,
    boolean standard,
    boolean loaded,
    boolean generates,
    boolean embeds,
    String architecture,
    String quantization,
    int context,
    int layers,
    long bytes,
    @Nullable String sha256,
    @Nullable Batch batch,
    @Nullable Remote remote) {

  /**
   * What a model computes now.
   *
   * @param slots sequences that its batch can hold
   * @param running sequences in the batch
   * @param waiting sequences that wait for a slot
   * @param pages of its KV cache
   * @param preemptions since it was loaded
   */
  public record Batch(int slots, int running, int waiting, Pages pages, long preemptions) {
    /** The used part of the batch, 0 to 1. */
    public double fill() {
      return slots == 0 ? 0 : Math.min(1, (double) running / slots);
    }
  }

  /**
   * Pages of a KV cache.
   *
   * @param cached kept for prompts with the same prefix
   */
  public record Pages(int used, int cached, int free) {}

  /**
   * A model with layers at other nodes.
   *
   * @param waitReason what is missing, in words; null if it is ready
   */
  public record Remote(boolean ready, @Nullable String waitReason) {}

  public static ModelOverview fromJson(JsonObject in) {
    JsonObject remote = in.object("remote");
    return new ModelOverview(
        in.string("name"),
        in.flag("default", false),
        in.flag("loaded", false),
        in.flag("generates", false),
        in.flag("embeds", false),
        in.string("architecture"),
        in.string("quantization", ""),
        (int) in.integer("context"),
        (int) in.integer("layers"),
        in.integer("bytes"),
        in.string("sha256", null),
        in.has("slots") ? batch(in) : null,
        in.has("remote")
            ? new Remote(remote.flag("ready", false), remote.string("waitReason", null))
            : null);
  }

  private static Batch batch(JsonObject in) {
    JsonObject pages = in.object("pages");
    return new Batch(
        (int) in.integer("slots"),
        (int) in.integer("running"),
        (int) in.integer("waiting"),
        new Pages(
            (int) pages.integer("used"),
            (int) pages.integer("cached"),
            (int) pages.integer("free")),
        in.integer("preemptions"));
  }

  public JsonObject toJson() {
    JsonObject out =
        JsonObject.create()
            .put("name", name)
            .put("default", standard)
            .put("loaded", loaded)
            .put("generates", generates)
            .put("embeds", embeds)
            .put("architecture", architecture)
            .putIfPresent("quantization", quantization.isEmpty() ? null : quantization)
            .put("context", context)
            .put("layers", layers)
            .put("bytes", bytes)
            .putIfPresent("sha256", sha256);
    if (batch != null) {
      put(out, batch);
    }
    if (remote != null) {
      out.put(
          "remote",
          JsonObject.create()
              .put("ready", remote.ready)
              .putIfPresent("waitReason", remote.waitReason));
    }
    return out;
  }

  private static void put(JsonObject out, Batch batch) {
    out.put("slots", batch.slots)
        .put("running", batch.running)
        .put("waiting", batch.waiting)
        .put("batchFill", batch.fill())
        .put(
            "pages",
            JsonObject.create()
                .put("used", batch.pages.used)
                .put("cached", batch.pages.cached)
                .put("free", batch.pages.free))
        .put("preemptions", batch.preemptions);
  }
}
