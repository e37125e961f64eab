package dev.millrace.core.template;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Renders {@code {{…}}} placeholders:
 *
 * <pre>
 * {{result}} {{input}} {{index}}    in "each": about the task of the previous stage
 * {{results}}                       all results of the previous stage, one per line
 * {{results.json}}                  the same as a JSON array of texts
 * {{results[2]}}                    the result of its task 2 (from 1)
 * {{stages[1].results}} …           the same for any earlier stage
 * {{result.name}}, {{results[2].a[0].b}}   inside a result that is JSON (arrays there from 0)
 * {{open}}                          a literal "{{"
 * </pre>
 */
public final class StageTemplate {

  /** The texts that a template may refer to. Stages and tasks count from 1. */
  public interface Results {
    /** The stage whose template is rendered. */
    int stage();

    /** Results of a stage by task number, null for a task that has none. */
    List<@Nullable String> of(int stage);

    /** The input of a task as text. */
    String input(int stage, int task);
  }

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{([^{}]*+)}}");
  private static final Pattern STAGES = Pattern.compile("stages\\[(\\d{1,6})]\\.(.+)");
  private static final Pattern RESULTS =
      Pattern.compile("results(?:\\[(\\d{1,6})](.*)|(\\.json))?");
  private static final Pattern STEP = Pattern.compile("\\.([A-Za-z_][\\w-]*)|\\[(\\d{1,6})]");

  private static final Pattern OF_TASK = Pattern.compile("index|input|result([.\\[].*)?");

  private StageTemplate() {}

  /**
   * @param task which task of the previous stage {@code {{result}}} refers to; 0: none
   */
  public static String render(String text, Results results, int task) {
    Matcher matcher = PLACEHOLDER.matcher(text);
    StringBuilder out = new StringBuilder();
    while (matcher.find()) {
      String name = matcher.group(1).strip();
      matcher.appendReplacement(
          out, Matcher.quoteReplacement(value(name, "{{" + name + "}}", results, task)));
    }
    return matcher.appendTail(out).toString();
  }

  /**
   * Refuses a template that can never be rendered: an unknown name, or a stage that is not an
   * earlier one.
   *
   * @param stage whose template it is, from 1
   * @param each whether it is rendered for each result of the previous stage
   */
  public static void check(String text, int stage, boolean each) {
    Matcher matcher = PLACEHOLDER.matcher(text);
    while (matcher.find()) {
      String name = matcher.group(1).strip();
      String shown = "{{" + name + "}}";
      Matcher stages = STAGES.matcher(name);
      boolean ofOther = stages.matches();
      if (ofOther && (stageOf(stages) < 1 || stageOf(stages) >= stage)) {
        throw new StageTemplateException(
            shown + ": stage " + stageOf(stages) + " is not an earlier stage");
      }
      boolean ofTask = each && !ofOther && OF_TASK.matcher(name).matches();
      String rest = ofOther ? stages.group(2) : name;
      if (!name.equals("open") && !ofTask && !RESULTS.matcher(rest).matches()) {
        throw unknown(shown);
      }
    }
  }

  private static int stageOf(Matcher stages) {
    return Integer.parseInt(stages.group(1));
  }

  private static StageTemplateException unknown(String shown) {
    return new StageTemplateException(
        shown
            + " is not known; known: result, input, index (in \"each\"),"
            + " results, results.json, results[n], stages[n].results, open");
  }

  private static String value(String name, String shown, Results results, int task) {
    int previous = results.stage() - 1;
    if (name.equals("open")) {
      return "{{";
    }
    Matcher stages = STAGES.matcher(name);
    if (stages.matches()) {
      int stage = Integer.parseInt(stages.group(1));
      if (stage < 1 || stage >= results.stage()) {
        throw new StageTemplateException(shown + ": stage " + stage + " is not an earlier stage");
      }
      return results(stages.group(2), shown, results, stage);
    }
    if (task > 0) {
      if (name.equals("index")) {
        return Integer.toString(task);
      }
      if (name.equals("input")) {
        return results.input(previous, task);
      }
      if (name.equals("result") || name.startsWith("result.") || name.startsWith("result[")) {
        return inside(one(results.of(previous), task, shown), name.substring(6), shown);
      }
    }
    return results(name, shown, results, previous);
  }

  private static String results(String name, String shown, Results results, int stage) {
    Matcher matcher = RESULTS.matcher(name);
    if (!matcher.matches()) {
      throw unknown(shown);
    }
    List<@Nullable String> all = results.of(stage);
    if (matcher.group(1) != null) {
      return inside(one(all, Integer.parseInt(matcher.group(1)), shown), matcher.group(2), shown);
    }
    List<String> present = new ArrayList<>();
    for (String result : all) {
      if (result != null) {
        present.add(result);
      }
    }
    return matcher.group(3) != null ? Json.write(present) : String.join("\n", present);
  }

  private static String one(List<@Nullable String> all, int task, String shown) {
    String result = task >= 1 && task <= all.size() ? all.get(task - 1) : null;
    if (result == null) {
      throw new StageTemplateException(shown + ": task " + task + " has no result");
    }
    return result;
  }

  private static String inside(String result, String path, String shown) {
    if (path.isEmpty()) {
      return result;
    }
    Object value;
    try {
      value = Json.parse(result);
    } catch (JsonException e) {
      throw new StageTemplateException(shown + ": the result is " + e.getMessage());
    }
    Matcher step = STEP.matcher(path);
    int at = 0;
    while (at < path.length()) {
      if (!step.find(at) || step.start() != at) {
        throw new StageTemplateException(
            shown + ": cannot read the path at \"" + path.substring(at) + "\"");
      }
      at = step.end();
      value =
          step.group(1) != null
              ? value instanceof Map<?, ?> map ? map.get(step.group(1)) : null
              : value instanceof List<?> list && Integer.parseInt(step.group(2)) < list.size()
                  ? list.get(Integer.parseInt(step.group(2)))
                  : null;
      if (value == null) {
        throw new StageTemplateException(shown + ": the result has no " + path.substring(0, at));
      }
    }
    return value instanceof String text ? text : Json.write(value);
  }
}
