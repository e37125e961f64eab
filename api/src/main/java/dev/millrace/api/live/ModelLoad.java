package dev.millrace.api.live;

import dev.millrace.core.json.JsonObject;

/**
 * How busy a loaded model is.
 *
 * @param running sequences in its batch
 * @param waiting sequences that wait for a slot
 * @param slots sequences that its batch can hold
 * @param batchFill the share of the slots in use, 0 to 1
 * @param cacheUsed the share of the pages of its KV cache in use, 0 to 1
 */
public record ModelLoad(
    String name, int running, int waiting, int slots, double batchFill, double cacheUsed) {

  static ModelLoad fromJson(JsonObject in) {
    return new ModelLoad(
        in.string("name"),
        LiveFields.integer(in, "running"),
        LiveFields.integer(in, "waiting"),
        LiveFields.integer(in, "slots"),
        in.number("batchFill", 0),
        in.number("cacheUsed", 0));
  }

  JsonObject toJson() {
    return JsonObject.create()
        .put("name", name)
        .put("running", running)
        .put("waiting", waiting)
        .put("slots", slots)
        .put("batchFill", batchFill)
        .put("cacheUsed", cacheUsed);
  }
}
