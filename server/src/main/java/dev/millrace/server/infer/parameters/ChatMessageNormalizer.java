package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Converts a message in OpenAI's format to the form of chat templates, where the content is text.
 */
final class ChatMessageNormalizer {
  static final String FORM = "a list of messages, each an object with a role";
  private static final Set<String> ROLES =
      Set.of("system", "developer", "user", "assistant", "tool");

  /** The fields that chat templates read. */
  private static final Set<String> NAMES =
      Set.of(
          "role",
          "content",
          "name",
          "tool_calls",
          "tool_call_id",
          "reasoning_content",
          "thinking",
          "thought",
          "prefix");

  private static final Set<String> PART = Set.of("type", "text");

  private ChatMessageNormalizer() {}

  /** The message with its text parts joined; a part that is not text is refused by name. */
  static Map<String, @Nullable Object> normalize(Map<String, @Nullable Object> given) {
    if (!(given.get("role") instanceof String role)) {
      throw ParameterReader.invalid("messages", given, FORM);
    }
    if (!ROLES.contains(role)) {
      throw ParameterReader.invalid(
          "messages: role", role, "system, developer, user, assistant or tool");
    }
    known(given, NAMES, "messages");
    Map<String, @Nullable Object> message = new LinkedHashMap<>(given);
    if (role.equals("developer")) {
      message.put("role", "system"); // the name that templates know
    }
    boolean calls = role.equals("assistant") && given.get("tool_calls") != null;
    if (calls) {
      message.put("tool_calls", calls(given.get("tool_calls")));
    }
    if (!calls || given.get("content") != null) {
      message.put("content", content(given.get("content")));
    }
    return message;
  }

  /** Calls with their arguments as objects, which templates write as JSON themselves. */
  private static List<Object> calls(@Nullable Object given) {
    if (!(given instanceof List<?> list)) {
      throw ParameterReader.invalid("messages: tool_calls", given, "a list of calls");
    }
    List<Object> calls = new ArrayList<>();
    for (Object each : list) {
      if (!(each instanceof Map<?, ?>)) {
        throw ParameterReader.invalid("messages: tool_calls", each, "an object");
      }
      Map<String, @Nullable Object> call =
          new LinkedHashMap<>(JsonObject.of(each, "tool_calls").values());
      if (call.get("function") instanceof Map<?, ?> function
          && function.get("arguments") instanceof String text) {
        Map<String, @Nullable Object> parsed =
            new LinkedHashMap<>(JsonObject.of(function, "function").values());
        parsed.put("arguments", arguments(text));
        call.put("function", parsed);
      }
      calls.add(call);
    }
    return calls;
  }

  private static Object arguments(String text) {
    try {
      return text.isBlank() ? Map.of() : Json.objectLastWins(text).values();
    } catch (JsonException e) {
      throw ParameterReader.invalid(
          "messages: tool_calls: arguments", text, "the text of a JSON object");
    }
  }

  /** A null counts as absent: clients send back messages with all their nulls. */
  private static void known(Map<?, ?> given, Set<String> names, String where) {
    given.forEach(
        (name, value) -> {
          if (value != null && !names.contains(name)) {
            throw TaskRefused.ofParameter(
                where,
                "parameter \"%s: %s\" is not known here; known are: %s"
                    .formatted(where, name, String.join(", ", new TreeSet<>(names))));
          }
        });
  }

  private static String content(@Nullable Object content) {
    return switch (content) {
      case String text -> text;
      case List<?> parts -> {
        StringBuilder all = new StringBuilder();
        parts.forEach(part -> all.append(text(part)));
        yield all.toString();
      }
      case null, default ->
          throw ParameterReader.invalid(
              "messages: content", content, "text, or a list of parts of type text");
    };
  }

  private static String text(@Nullable Object part) {
    if (part instanceof Map<?, ?> object
        && "text".equals(object.get("type"))
        && object.get("text") instanceof String text) {
      known(object, PART, "messages: content");
      return text;
    }
    Object type = part instanceof Map<?, ?> object ? object.get("type") : part;
    throw ParameterReader.invalid(
        "messages: content: type", type, "text; Millrace supports text only");
  }
}
