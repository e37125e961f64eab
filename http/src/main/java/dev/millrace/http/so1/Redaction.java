package dev.millrace.http.so1;

import dev.millrace.core.internal.secret.SecretRedactor;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.http.route.TruncatedText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Removes private data from the stored inputs of a job, and from messages and log lines. */
final class Redaction {
  /**
   * Absolute paths of files with at least two segments. Not the paths of this API, nor what follows
   * a host or the {@code #} of a schema.
   */
  private static final Pattern FILES =
      Pattern.compile(
          "(?i:file):/[^\\s\"',;]*|\\b[A-Za-z]:\\\\[^\\s\"':,;]+"
              + "|(?<![\\w/.#~\\]})-])/(?!v1/|api/|docs/api\\b)[^\\s\"':,;()/]+/[^\\s\"':,;()]+");

  private Redaction() {}

  /** The most inputs that are shown, and the most characters of a name. */
  private static final int MAX_SHOWN = 100;

  /**
   * The inputs without private data. Of a built-in action, numbers, flags and the name of the model
   * stay. What the inputs of other actions mean is not known: only their names stay.
   */
  static JsonObject redactInputs(String action, JsonObject inputs) {
    boolean builtIn = ActionInputs.of(action) != null;
    JsonObject redacted = JsonObject.create();
    for (Map.Entry<String, @Nullable Object> input : inputs.values().entrySet()) {
      if (redacted.values().size() == MAX_SHOWN) {
        break;
      }
      Object value = input.getValue();
      boolean harmless = value == null || builtIn && isHarmless(input.getKey(), value);
      redacted.put(
          TruncatedText.of(redactSecrets(input.getKey()), MAX_SHOWN),
          harmless ? value : placeholder(value));
    }
    return redacted;
  }

  private static boolean isHarmless(String name, Object value) {
    return value instanceof Number || value instanceof Boolean || name.equals("model");
  }

  /** The stages of a whole job, with the number of their tasks. */
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

  private static String placeholder(Object value) {
    String text = value instanceof String given ? given : Json.write(value);
    return "[redacted: " + text.codePointCount(0, text.length()) + " characters]";
  }

  /** The text without secrets and paths of files. */
  static String redactSecrets(String text) {
    return FILES.matcher(SecretRedactor.redact(text)).replaceAll(SecretRedactor.REDACTED);
  }
}
