package dev.millrace.core.internal.rules;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A JSON object as its text, which takes up to thirty times less memory than its values do. */
final class JsonBytes {
  private final byte[] text;

  private JsonBytes(byte[] text) {
    this.text = text;
  }

  static JsonBytes of(JsonObject object) {
    return new JsonBytes(Json.write(object).getBytes(StandardCharsets.UTF_8));
  }

  /** The object that {@code kept} is the text of; null for null. */
  static @Nullable JsonObject read(@Nullable JsonBytes kept) {
    return kept == null ? null : Json.object(new String(kept.text, StandardCharsets.UTF_8));
  }
}
