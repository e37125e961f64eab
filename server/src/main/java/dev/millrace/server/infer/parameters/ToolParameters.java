package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.Tool;
import dev.millrace.engine.toolcall.ToolCallFormat;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tools of a task, and which of them the model may or must call.
 *
 * @param tools all that are shown to the model; may be empty
 * @param choice whether a call is not wanted, possible or necessary
 * @param callable the names of those that may be called; empty: all
 * @param parallel whether one answer may have several calls; of a named tool there is one
 * @param format how the model writes calls; null: as its chat template does
 */
public record ToolParameters(
    List<Tool> tools,
    Choice choice,
    List<String> callable,
    boolean parallel,
    @Nullable ToolCallFormat format) {

  static final Set<String> NAMES =
      Set.of("tools", "tool_choice", "parallel_tool_calls", "tool_format");

  static final String FORM = "a list of functions, each an object";
  private static final String FUNCTION =
      "{\"type\": \"function\", \"function\": {\"name\": …, \"parameters\": …}}";
  private static final String CHOICE =
      "\"none\", \"auto\", \"required\", or an object of type function or allowed_tools";

  /** Whether the model may call a tool. */
  public enum Choice {
    NONE,
    AUTO,
    REQUIRED
  }

  private record AskedChoice(Choice choice, List<String> names, boolean single) {
    AskedChoice(Choice choice, List<String> names) {
      this(choice, names, false);
    }
  }

  static ToolParameters of(ParameterReader fields) {
    List<Tool> tools = new ArrayList<>();
    var given = fields.objects("tools", FORM);
    if (given != null) {
      given.forEach(each -> tools.add(tool(each)));
    }
    Set<String> names = new HashSet<>();
    for (Tool tool : tools) {
      if (!names.add(tool.name())) {
        throw TaskRefused.ofParameter(
            "tools", "parameter \"tools\" has two functions \"%s\"".formatted(tool.name()));
      }
    }
    AskedChoice asked = choice(fields.get("tool_choice"), !tools.isEmpty());
    for (String name : asked.names) {
      if (!names.contains(name)) {
        throw TaskRefused.ofParameter(
            "tool_choice",
            "parameter \"tool_choice\" names \"%s\", which is none of the tools".formatted(name));
      }
    }
    return new ToolParameters(
        List.copyOf(tools),
        asked.choice,
        asked.names,
        !asked.single && !Boolean.FALSE.equals(fields.flag("parallel_tool_calls")),
        format(fields.text("tool_format")));
  }

  private static @Nullable ToolCallFormat format(@Nullable String id) {
    return id == null
        ? null
        : ToolCallFormat.named(id)
            .orElseThrow(
                () ->
                    ParameterReader.invalid(
                        "tool_format",
                        id,
                        "one of "
                            + String.join(
                                ", ",
                                Stream.of(ToolCallFormat.values())
                                    .map(ToolCallFormat::id)
                                    .toList())));
  }

  /** OpenAI's form, with the function's fields in an object of their own or beside the type. */
  private static Tool tool(Map<String, @Nullable Object> given) {
    Object type = given.get("type");
    if (type != null && !"function".equals(type)) {
      throw ParameterReader.invalid("tools: type", type, "\"function\"");
    }
    Map<?, ?> function = given.get("function") instanceof Map<?, ?> inner ? inner : given;
    Object parameters = function.get("parameters");
    boolean fits =
        function.get("name") instanceof String
            && (parameters == null || parameters instanceof Map<?, ?>)
            && isTextOrAbsent(function.get("description"))
            && (function.get("strict") == null || function.get("strict") instanceof Boolean);
    if (!fits) {
      throw ParameterReader.invalid("tools", given, FUNCTION);
    }
    try {
      return new Tool(
          String.valueOf(function.get("name")),
          (String) function.get("description"),
          parameters == null ? Map.of() : JsonObject.of(parameters, "parameters").values(),
          Boolean.TRUE.equals(function.get("strict")));
    } catch (IllegalArgumentException e) {
      throw new TaskRefused(
          TaskRefused.Reason.PARAMETER, "tools", "parameter \"tools\": " + e.getMessage(), e);
    }
  }

  private static boolean isTextOrAbsent(@Nullable Object value) {
    return value == null || value instanceof String;
  }

  private static AskedChoice choice(@Nullable Object given, boolean hasTools) {
    AskedChoice asked =
        switch (given) {
          case null -> new AskedChoice(hasTools ? Choice.AUTO : Choice.NONE, List.of());
          case String word -> new AskedChoice(word(word), List.of());
          case Map<?, ?> object when "function".equals(object.get("type")) ->
              new AskedChoice(Choice.REQUIRED, List.of(name(object)), true);
          case Map<?, ?> object when "allowed_tools".equals(object.get("type")) -> allowed(object);
          default -> throw ParameterReader.invalid("tool_choice", given, CHOICE);
        };
    if (asked.choice == Choice.REQUIRED && !hasTools) {
      throw TaskRefused.ofParameter(
          "tool_choice", "parameter \"tool_choice\" requires a call, but there are no tools");
    }
    return asked;
  }

  private static Choice word(String word) {
    return switch (word) {
      case "none" -> Choice.NONE;
      case "auto" -> Choice.AUTO;
      case "required" -> Choice.REQUIRED;
      default -> throw ParameterReader.invalid("tool_choice", word, CHOICE);
    };
  }

  private static AskedChoice allowed(Map<?, ?> choice) {
    Map<?, ?> allowed = choice.get("allowed_tools") instanceof Map<?, ?> inner ? inner : choice;
    if (!(allowed.get("mode") instanceof String mode)
        || !Set.of("auto", "required").contains(mode)
        || !(allowed.get("tools") instanceof List<?> tools)
        || tools.isEmpty()) {
      throw ParameterReader.invalid(
          "tool_choice", choice, "allowed_tools with a mode (auto or required) and tools");
    }
    List<String> names = new ArrayList<>();
    for (Object tool : tools) {
      names.add(name(tool));
    }
    return new AskedChoice(word(mode), List.copyOf(names));
  }

  /** The name in an object of type function, with the name in an object of its own or not. */
  private static String name(@Nullable Object function) {
    Object holder =
        function instanceof Map<?, ?> map && map.get("function") instanceof Map<?, ?> inner
            ? inner
            : function;
    if (holder instanceof Map<?, ?> map && map.get("name") instanceof String name) {
      return name;
    }
    throw ParameterReader.invalid("tool_choice", function, "a function with its name");
  }

  /**
   * How calls are made and read in an output; null if it is not to have any.
   *
   * @param usual the format that the chat template writes
   */
  public @Nullable ToolUse use(ToolCallFormat usual) {
    if (choice == Choice.NONE || tools.isEmpty()) {
      return null;
    }
    List<Tool> may =
        callable.isEmpty()
            ? tools
            : tools.stream().filter(tool -> callable.contains(tool.name())).toList();
    return new ToolUse(format == null ? usual : format, may, choice == Choice.REQUIRED, parallel);
  }
}
