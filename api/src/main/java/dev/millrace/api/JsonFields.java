package dev.millrace.api;

import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads typed fields of an answer; errors name the field. */
final class JsonFields {
  /** What the API writes where there is no trace. */
  private static final String NO_TRACE = "00-00000000000000000000000000000000-0000000000000000-00";

  private JsonFields() {}

  static UUID uuid(JsonObject in, String name) {
    return uuid(in.string(name), name);
  }

  static @Nullable UUID uuidOrNull(JsonObject in, String name) {
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

  static Instant instant(JsonObject in, String name) {
    return instant(in.string(name), name);
  }

  static @Nullable Instant instantOrNull(JsonObject in, String name) {
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

  static @Nullable Duration secondsOrNull(JsonObject in, String name) {
    return in.has(name) ? Duration.ofMillis(Math.round(in.number(name, 0) * 1_000)) : null;
  }

  static int integer(JsonObject in, String name) {
    return Math.toIntExact(in.integer(name, 0));
  }

  static <E extends Enum<E>> E enumConstant(Class<E> type, JsonObject in, String name) {
    String text = in.string(name);
    try {
      return Enum.valueOf(type, text);
    } catch (IllegalArgumentException e) {
      throw new JsonException("\"" + name + "\" has a value that is not known: \"" + text + "\"");
    }
  }

  static List<String> strings(JsonObject in, String name) {
    return in.list(name).stream().map(String::valueOf).toList();
  }

  static <T> List<T> list(JsonObject in, String name, Function<JsonObject, T> read) {
    List<T> out = new ArrayList<>();
    for (Object value : in.list(name)) {
      out.add(read.apply(JsonObject.of(value, name + "[" + out.size() + "]")));
    }
    return out;
  }

  /** The trace in {@code in}; null where it has none, or one that is not valid. */
  static @Nullable TraceContext trace(JsonObject in) {
    String parent = in.string("traceparent", null);
    return parent == null || parent.equals(NO_TRACE) || !TraceContext.isParent(parent)
        ? null
        : new TraceContext(parent, in.string("tracestate", null));
  }

  static void put(JsonObject out, @Nullable TraceContext trace) {
    if (trace != null) {
      out.put("traceparent", trace.parent()).putIfPresent("tracestate", trace.state());
    }
  }

  static void put(JsonObject out, List<Webhook> webhooks) {
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
