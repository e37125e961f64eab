package dev.millrace.engine.internal.toolcall;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The text of calls.
 *
 * @param begin before the first call
 * @param beforeName before the name of a tool
 * @param beforeArguments between the name and the arguments
 * @param afterArguments to the end of the call
 * @param separator between calls; null: there is one call only
 * @param end after the last call
 */
record CallText(
    String begin,
    String beforeName,
    String beforeArguments,
    String afterArguments,
    @Nullable String separator,
    String end) {

  /**
   * @param calls each with its arguments as the format has them
   */
  String write(List<WrittenCall> calls) {
    List<String> each = new ArrayList<>();
    for (WrittenCall call : calls) {
      each.add(beforeName + call.name + beforeArguments + call.arguments + afterArguments);
    }
    return begin + String.join(separator == null ? "" : separator, each) + end;
  }

  /** A call whose arguments are text. */
  record WrittenCall(String name, String arguments) {}

  /**
   * Arguments as a JSON object.
   *
   * @param arguments each as JSON
   */
  static String json(Map<String, String> arguments) {
    List<String> members = new ArrayList<>();
    arguments.forEach((name, value) -> members.add(JsonText.quote(name) + ": " + value));
    return "{" + String.join(", ", members) + "}";
  }

  /** Arguments as {@link TagArgumentsStep} reads them: strings as they are, where that is safe. */
  static String tags(Map<String, String> arguments) {
    StringBuilder text = new StringBuilder();
    arguments.forEach(
        (name, value) ->
            text.append(TagArgumentsStep.OPEN)
                .append(name)
                .append(">\n")
                .append(tagValue(value))
                .append("\n" + TagArgumentsStep.CLOSE + "\n"));
    return text.toString();
  }

  private static String tagValue(String json) {
    String value = json.startsWith("\"") ? JsonText.unquote(json) : json;
    return TagArgumentsStep.endsWithin(value) ? json : value;
  }
}
