package dev.millrace.http.so1;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What is left out of what is kept beside a job, and of what is said about it. */
final class Redaction {
  /** Keys as they are commonly written, ours among them. */
  private static final String KEYS =
      "(?i:bearer )[^\\s\"',;]{16,}|\\bsk-[A-Za-z0-9_-]{8,}|\\bmr_[A-Za-z0-9_-]{43}";

  /**
   * Where files are: two steps from a root or more. Our own paths are none, nor is what follows a
   * host or the {@code #} of a schema.
   */
  private static final String FILES =
      "(?i:file):/[^\\s\"',;]*|\\b[A-Za-z]:\\\\[^\\s\"':,;]+"
          + "|(?<![\\w/.#~\\]})-])/(?!v1/|api/|docs/api\\b)[^\\s\"':,;()/]+/[^\\s\"':,;()]+";

  private static final Pattern SECRET = Pattern.compile(KEYS + "|" + FILES);

  private Redaction() {}

  /** Inputs without what somebody wrote: numbers, flags and the model's name stay. */
  static JsonObject redactInputs(JsonObject inputs) {
    JsonObject kept = JsonObject.create();
    for (Map.Entry<String, @Nullable Object> input : inputs.values().entrySet()) {
      Object value = input.getValue();
      boolean harmless =
          value == null
              || value instanceof Number
              || value instanceof Boolean
              || input.getKey().equals("model");
      kept.put(input.getKey(), harmless ? value : redacted(value));
    }
    return kept;
  }

  /** Of a whole job, what it consists of. */
  static JsonObject redactInputs(JobSpec spec) {
    List<Object> stages = new ArrayList<>();
    for (StageSpec stage : spec.stages()) {
      stages.add(
          JsonObject.create()
              .put("type", stage.type())
              .put("tasks", (long) stage.tasks().size())
              .values());
    }
    return JsonObject.create().put("stages", stages);
  }

  private static String redacted(Object value) {
    String text = value instanceof String given ? given : Json.write(value);
    return "[redacted: " + text.codePointCount(0, text.length()) + " characters]";
  }

  /** The text without keys and paths of files that a worker, or a caller, put into it. */
  static String redactSecrets(String text) {
    return SECRET.matcher(text).replaceAll("[redacted]");
  }
}
