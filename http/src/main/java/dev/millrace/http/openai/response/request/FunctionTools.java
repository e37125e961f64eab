package dev.millrace.http.openai.response.request;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.request.OpenAiError;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tools of a request, whose fields are flat here and nested in chat.
 *
 * @param tools as the response repeats them
 * @param choice as the response repeats it: a word or an object
 */
record FunctionTools(List<Map<String, @Nullable Object>> tools, Object choice) {
  private static final List<String> FIELDS =
      List.of("type", "name", "description", "parameters", "strict");
  private static final List<String> NAMED = List.of("type", "name");
  private static final List<String> ALLOWED = List.of("type", "mode", "tools");

  static FunctionTools of(JsonObject body) {
    List<Map<String, @Nullable Object>> tools = new ArrayList<>();
    Set<Object> names = new HashSet<>();
    for (Object given : body.list("tools")) {
      String path = "tools[" + tools.size() + "]";
      Map<String, @Nullable Object> tool = function(JsonObject.of(given, path), path);
      if (!names.add(String.valueOf(tool.get("name")))) {
        throw OpenAiError.invalid(path + ".name", "is \"" + tool.get("name") + "\" again");
      }
      tools.add(tool);
    }
    Object choice = body.get("tool_choice");
    if (choice == null) {
      choice = "auto";
    }
    requireFunctions(choice);
    if (tools.isEmpty() && !choice.equals("auto") && !choice.equals("none")) {
      throw OpenAiError.invalid("tool_choice", "needs tools, and there are none");
    }
    return new FunctionTools(tools, choice);
  }

  private static Map<String, @Nullable Object> function(JsonObject tool, String path) {
    requireFunction(tool, path);
    OpenAiError.requireKnown(tool.values(), FIELDS, path);
    if (!(tool.get("name") instanceof String name)) {
      throw OpenAiError.missing(path + ".name");
    }
    Object parameters = tool.get("parameters");
    return JsonObject.create()
        .put("type", "function")
        .put("name", name)
        .put("description", tool.get("description"))
        .put("parameters", parameters == null ? Map.of() : parameters)
        .put("strict", tool.flag("strict", true))
        .values();
  }

  private static void requireFunctions(Object choice) {
    if (!(choice instanceof Map<?, ?> fields)) {
      return; // a word; the document lists them
    }
    Object type = fields.get("type");
    if (!"function".equals(type) && !"allowed_tools".equals(type)) {
      throw OpenAiError.invalid(
          "tool_choice.type",
          OpenAiError.quoted(type) + " is not supported; supported are: function, allowed_tools");
    }
    JsonObject given = JsonObject.of(fields, "tool_choice");
    if ("function".equals(type)) {
      requireNamed(given, "tool_choice");
    } else {
      requireAllowed(given);
    }
  }

  private static void requireAllowed(JsonObject choice) {
    OpenAiError.requireKnown(choice.values(), ALLOWED, "tool_choice");
    Object mode = choice.get("mode");
    if (mode != null && !mode.equals("auto") && !mode.equals("required")) {
      throw OpenAiError.invalid("tool_choice.mode", "must be auto or required");
    }
    if (!(choice.get("tools") instanceof List<?> tools) || tools.isEmpty()) {
      throw OpenAiError.invalid("tool_choice.tools", "must be a list with at least one function");
    }
    for (int i = 0; i < tools.size(); i++) {
      String path = "tool_choice.tools[" + i + "]";
      if (!(tools.get(i) instanceof Map<?, ?> tool)) {
        throw OpenAiError.invalid(path, "must be an object");
      }
      requireNamed(JsonObject.of(tool, path), path);
    }
  }

  private static void requireNamed(JsonObject function, String path) {
    requireFunction(function, path);
    OpenAiError.requireKnown(function.values(), NAMED, path);
    if (!(function.get("name") instanceof String)) {
      throw OpenAiError.missing(path + ".name");
    }
  }

  private static void requireFunction(JsonObject tool, String path) {
    if (!"function".equals(tool.get("type"))) {
      throw OpenAiError.invalid(
          path + ".type",
          OpenAiError.quoted(tool.get("type")) + " is not supported: only functions are");
    }
  }

  /** Adds them to the parameters of a generate task. */
  void putInto(JsonObject parameters, JsonObject body) {
    if (tools.isEmpty()) {
      return;
    }
    parameters.put("tools", tools.stream().map(FunctionTools::nested).toList());
    parameters.put(
        "tool_choice", choice instanceof Map<?, ?> fields ? nestedChoice(fields) : choice);
    parameters.putIfPresent("parallel_tool_calls", body.get("parallel_tool_calls"));
  }

  private static Map<String, @Nullable Object> nested(Map<String, @Nullable Object> tool) {
    JsonObject function = JsonObject.create();
    tool.forEach(
        (name, value) -> {
          if (!name.equals("type")) {
            function.putIfPresent(name, value);
          }
        });
    return JsonObject.create().put("type", "function").put("function", function.values()).values();
  }

  private static Object nestedChoice(Map<?, ?> choice) {
    if ("function".equals(choice.get("type"))) {
      return named(choice.get("name"));
    }
    List<Object> allowed = new ArrayList<>();
    if (choice.get("tools") instanceof List<?> tools) {
      for (Object tool : tools) {
        allowed.add(named(JsonObject.of(tool, "a tool of tool_choice").get("name")));
      }
    }
    Object mode = choice.get("mode");
    return JsonObject.create()
        .put("type", "allowed_tools")
        .put(
            "allowed_tools",
            JsonObject.create()
                .put("mode", mode == null ? "auto" : mode)
                .put("tools", allowed)
                .values())
        .values();
  }

  private static Map<String, @Nullable Object> named(@Nullable Object name) {
    return JsonObject.create()
        .put("type", "function")
        .put("function", JsonObject.create().put("name", name).values())
        .values();
  }
}
