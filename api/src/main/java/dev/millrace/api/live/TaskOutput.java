package dev.millrace.api.live;

import dev.millrace.core.json.JsonObject;

/**
 * A piece of the text of a task. Positions mean something for this task alone; in JSON they are
 * texts, because they may have more digits than a JavaScript number.
 *
 * @param from its position
 * @param next the position of the piece after it
 * @param restarted whether the task has restarted: what came before is void
 */
public record TaskOutput(long from, long next, String text, boolean restarted) {

  public static TaskOutput fromJson(JsonObject in) {
    return new TaskOutput(
        Long.parseLong(in.string("from")),
        Long.parseLong(in.string("next")),
        in.string("text"),
        in.flag("restarted", false));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("from", Long.toString(from))
        .put("next", Long.toString(next))
        .put("text", text)
        .put("restarted", restarted);
  }
}
