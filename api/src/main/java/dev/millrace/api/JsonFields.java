package dev.millrace.api;

import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads and writes typed fields of a JSON object; errors name the field. */
public final class JsonFields {
  private JsonFields() {}

  public static UUID uuid(JsonObject in, String name) {
    return uuid(in.string(name), name);
  }

  public static @Nullable UUID uuidOrNull(JsonObject in, String name) {
    String text = in.string(name, null);
    return text == null ? null : uuid(text, name);
  }

  private static UUID uuid(String text, String name) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      throw new JsonException("\"" + name + "\" must be a UUID, not \"" + text + "\"");
    }
  }

  public static Instant instant(JsonObject in, String name) {
    return instant(in.string(name), name);
  }

  public static @Nullable Instant instantOrNull(JsonObject in, String name) {
    String text = in.string(name, null);
    return text == null ? null : instant(text, name);
  }

  private static Instant instant(String text, String name) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new JsonException("\"" + name + "\" must be a time, not \"" + text + "\"");
    }
  }

  public static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }

  public static @Nullable String text(@Nullable UUID uuid) {
    return uuid == null ? null : uuid.toString();
  }

  static @Nullable Duration durationOrNull(JsonObject in, String name) {
    return in.has(name) ? Duration.ofMillis(Math.round(in.number(name, 0) * 1_000)) : null;
  }

  /** Whole seconds as an integer, others with a fraction to the millisecond. */
  static @Nullable Number seconds(@Nullable Duration time) {
    if (time == null) {
      return null;
    }
    return time.toMillis() % 1_000 == 0 ? (Number) time.toSeconds() : time.toMillis() / 1_000.0;
  }

  public static int integer(JsonObject in, String name) {
    return Math.toIntExact(in.integer(name, 0));
  }

  public static <E extends Enum<E>> E enumConstant(Class<E> type, JsonObject in, String name) {
    String text = in.string(name);
    try {
      return Enum.valueOf(type, text);
    } catch (IllegalArgumentException e) {
      throw new JsonException("\"" + name + "\" has a value that is not known: \"" + text + "\"");
    }
  }

  public static List<String> strings(JsonObject in, String name) {
    return in.list(name).stream().map(String::valueOf).toList();
  }

  public static <T> List<T> list(JsonObject in, String name, Function<JsonObject, T> read) {
    List<T> out = new ArrayList<>();
    for (Object value : in.list(name)) {
      out.add(read.apply(JsonObject.of(value, name + "[" + out.size() + "]")));
    }
    return out;
  }

  static void putWebhooks(JsonObject out, List<Webhook> webhooks) {
    if (!webhooks.isEmpty()) {
      out.put("webhooks", webhooks.stream().map(JsonFields::webhook).toList());
    }
  }

  private static JsonObject webhook(Webhook hook) {
    return JsonObject.create()
        .put("url", hook.url())
        .put("on", hook.events().stream().map(Webhook.Event::word).sorted().toList());
  }

  static void putUnlessEmpty(JsonObject out, String name, JsonObject value) {
    if (!value.values().isEmpty()) {
      out.put(name, value);
    }
  }
}
