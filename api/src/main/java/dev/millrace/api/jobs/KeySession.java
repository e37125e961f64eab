package dev.millrace.api.jobs;

import dev.millrace.api.JsonFields;
import dev.millrace.core.json.JsonObject;
import java.util.List;

/**
 * What the key of a request may do.
 *
 * @param name of the key
 * @param scopes what it allows: {@code read}, {@code submit}, {@code work}, {@code admin}
 * @param keys whether the server needs keys; without them everyone may do everything
 */
public record KeySession(String name, List<String> scopes, boolean keys) {
  public static KeySession fromJson(JsonObject in) {
    return new KeySession(
        in.string("name"), JsonFields.strings(in, "scopes"), in.flag("keys", false));
  }

  public JsonObject toJson() {
    return JsonObject.create().put("name", name).put("scopes", scopes).put("keys", keys);
  }
}
