package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes each large value of frozen terms once in a log. The tasks of a stage have most of their
 * terms in common: an entry names the earlier entry that has a value in the same place, instead of
 * repeating it. That entry always has the value itself, so that none is more than one step away.
 * The event of such an entry is not {@code freeze}: versions that do not know it leave the job alone
 * instead of reading incomplete terms.
 */
final class SharedTerms {
  private static final String TERMS = "terms";

  /** Where each value is that {@link #TERMS} lacks: an entry's number, or an object of such. */
  private static final String SHARED = "shared";

  /** Values with fewer characters are repeated. */
  private static final int SMALLEST = 256;

  /** How many values are remembered, those that were last used. */
  private static final int MOST = 1_000;

  /** What a remembered value takes in memory: a hash as text, and a number. */
  private static final long EACH = 200;

  /** The entries that have values, by the hash of place and value. */
  private final Map<String, Long> known;

  SharedTerms() {
    this(Map.of());
  }

  private SharedTerms(Map<String, Long> from) {
    known =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST;
          }
        };
    known.putAll(from);
  }

  /** About how many bytes of memory it takes. */
  long size() {
    return EACH * known.size();
  }

  SharedTerms copy() {
    return new SharedTerms(known);
  }

  /** The line of an entry that freezes terms. */
  String line(LogEntry entry, JsonObject terms) {
    JsonObject json = LogEntryJson.toJson(entry);
    Map<String, @Nullable Object> shared = new LinkedHashMap<>();
    Map<String, @Nullable Object> own = split(terms.values(), "", entry.number(), shared);
    return Json.write(
        shared.isEmpty()
            ? json
            : json.put("event", LogEntryJson.SHARED_FREEZE).put(TERMS, own).put(SHARED, shared));
  }

  /** What the entry has itself, with null for what {@code shared} gets the place of. */
  private Map<String, @Nullable Object> split(
      Map<String, @Nullable Object> terms,
      String place,
      long number,
      Map<String, @Nullable Object> shared) {
    Map<String, @Nullable Object> own = new LinkedHashMap<>();
    terms.forEach(
        (name, given) -> {
          Object value = given instanceof JsonObject object ? object.values() : given;
          String key = key(place, name, value);
          Long before = key == null ? null : known.get(key);
          own.put(name, before == null ? value : null);
          if (before != null) {
            shared.put(name, before);
          } else if (key != null) {
            Map<String, @Nullable Object> inside = new LinkedHashMap<>();
            if (value instanceof Map<?, ?>) {
              own.put(name, split(object(value), place(place, name), number, inside));
            }
            if (inside.isEmpty()) {
              known.put(key, number);
            } else {
              shared.put(name, inside);
            }
          }
        });
    return own;
  }

  /** Remembers the values that a line of the log has itself. */
  void learn(JsonObject line, long number) {
    if (isFreeze(line)) {
      learn(line.object(TERMS).values(), inside(line.get(SHARED)), "", number);
    }
  }

  private void learn(
      Map<String, @Nullable Object> own,
      Map<String, @Nullable Object> shared,
      String place,
      long number) {
    own.forEach(
        (name, value) -> {
          String key = key(place, name, value);
          if (key == null) {
            return;
          }
          Map<String, @Nullable Object> inside = inside(shared.get(name));
          if (value instanceof Map<?, ?>) {
            learn(object(value), inside, place(place, name), number);
          }
          if (inside.isEmpty()) {
            known.put(key, number);
          }
        });
  }

  private static Map<String, @Nullable Object> inside(@Nullable Object shared) {
    return shared instanceof Map<?, ?> map ? object(map) : Map.of();
  }

  private static boolean isFreeze(JsonObject line) {
    return LogEntryJson.FREEZE.equals(line.get("event"))
        || LogEntryJson.SHARED_FREEZE.equals(line.get("event"));
  }

  private static String place(String place, String name) {
    return place + "\0" + name;
  }

  /** Null if the value is small. */
  private static @Nullable String key(String place, String name, @Nullable Object value) {
    if (!(value instanceof String) && !(value instanceof Iterable<?>) && !(value instanceof Map)) {
      return null;
    }
    String text = Json.write(value);
    return text.length() < SMALLEST ? null : Sha256.hexOf(place(place, name) + "\0" + text);
  }

  /**
   * The entry of a line.
   *
   * @param source gives the terms that an earlier entry has itself; null: those of this entry are
   *     not completed
   */
  static LogEntry read(JsonObject line, @Nullable LongFunction<JsonObject> source) {
    if (LogEntryJson.SHARED_FREEZE.equals(line.get("event"))) {
      line.put("event", LogEntryJson.FREEZE);
      if (source != null) {
        fill(line.object(TERMS).values(), line.object(SHARED), source);
      }
    }
    return LogEntryJson.read(line);
  }

  private static void fill(
      Map<String, @Nullable Object> own, JsonObject shared, LongFunction<JsonObject> source) {
    for (String name : shared.values().keySet()) {
      if (shared.get(name) instanceof Map<?, ?>) {
        JsonObject inside = JsonObject.of(own.get(name), name);
        fill(inside.values(), shared.object(name), n -> source.apply(n).object(name));
      } else {
        Object value = source.apply(shared.integer(name)).get(name);
        if (value == null) {
          throw new JsonException(
              "entry " + shared.integer(name) + " has no terms \"" + name + "\" to share");
        }
        own.put(name, value);
      }
    }
  }

  @SuppressWarnings("unchecked") // JSON objects have string keys only
  private static Map<String, @Nullable Object> object(Object value) {
    return (Map<String, @Nullable Object>) value;
  }
}
