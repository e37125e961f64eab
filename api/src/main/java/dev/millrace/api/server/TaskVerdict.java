package dev.millrace.api.server;

import dev.millrace.core.json.JsonObject;

/**
 * What came of running a finished task again under its frozen terms.
 *
 * @param same whether the repetition gave the same bytes
 * @param repeated whether there was a repetition at all
 * @param detail what differs and where, or why the task cannot be repeated on this server
 */
public record TaskVerdict(boolean same, boolean repeated, String detail) {

  public static TaskVerdict fromJson(JsonObject in) {
    return new TaskVerdict(in.flag("same", false), in.flag("repeated", false), in.string("detail"));
  }

  public JsonObject toJson() {
    return JsonObject.create().put("same", same).put("repeated", repeated).put("detail", detail);
  }
}
