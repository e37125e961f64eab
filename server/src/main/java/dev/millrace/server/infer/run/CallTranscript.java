package dev.millrace.server.infer.run;

import dev.millrace.core.json.Json;
import dev.millrace.engine.chat.ChatTemplate;
import dev.millrace.engine.toolcall.ToolCall;
import dev.millrace.engine.toolcall.ToolCallFormat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes the earlier calls of a conversation and their results as text, for a model whose chat
 * template does not: a call as the model is asked to write one, and its result as a message of the
 * user, because not every template knows the role of a tool.
 */
final class CallTranscript {
  private static final Pattern CALLS = Pattern.compile("\\btool_calls\\b");

  private final ToolCallFormat format;
  private final Map<String, String> names = new HashMap<>(); // of functions, by the ids of calls
  private final List<Map<String, @Nullable Object>> messages = new ArrayList<>();
  private final List<String> results = new ArrayList<>(); // since the last message

  private CallTranscript(ToolCallFormat format) {
    this.format = format;
  }

  static boolean isWrittenBy(ChatTemplate template) {
    return template.origin() == ChatTemplate.Origin.FILE && CALLS.matcher(template.source()).find();
  }

  /** The conversation without calls and roles of tools. */
  static List<Map<String, @Nullable Object>> write(
      List<Map<String, @Nullable Object>> messages, ToolCallFormat format) {
    CallTranscript transcript = new CallTranscript(format);
    messages.forEach(transcript::add);
    transcript.endResults();
    return transcript.messages;
  }

  private void add(Map<String, @Nullable Object> message) {
    if ("tool".equals(message.get("role"))) {
      results.add(result(message));
      return;
    }
    endResults();
    messages.add(
        message.get("tool_calls") instanceof List<?> calls && !calls.isEmpty()
            ? withCalls(message, calls)
            : message);
  }

  private Map<String, @Nullable Object> withCalls(
      Map<String, @Nullable Object> message, List<?> given) {
    List<ToolCall> calls = new ArrayList<>();
    for (Object each : given) {
      if (each instanceof Map<?, ?> call) {
        Map<?, ?> function = call.get("function") instanceof Map<?, ?> inner ? inner : call;
        String name = String.valueOf(function.get("name"));
        names.put(String.valueOf(call.get("id")), name);
        calls.add(new ToolCall(name, arguments(function.get("arguments"))));
      }
    }
    String text = format.write(calls);
    Object content = message.get("content");
    Map<String, @Nullable Object> written = new LinkedHashMap<>(message);
    written.remove("tool_calls");
    written.put(
        "content", content instanceof String said && !said.isBlank() ? said + "\n" + text : text);
    return written;
  }

  private static Map<String, String> arguments(@Nullable Object given) {
    Map<String, String> arguments = new LinkedHashMap<>();
    if (given instanceof Map<?, ?> values) {
      values.forEach((name, value) -> arguments.put(String.valueOf(name), Json.write(value)));
    }
    return arguments;
  }

  private String result(Map<String, @Nullable Object> message) {
    Object name = names.get(String.valueOf(message.get("tool_call_id")));
    return "Result of %s:\n%s"
        .formatted(
            name == null ? message.getOrDefault("name", "a function") : name,
            message.get("content"));
  }

  /** Results in a row are one message, as templates may require that roles alternate. */
  private void endResults() {
    if (!results.isEmpty()) {
      messages.add(Map.of("role", "user", "content", String.join("\n\n", results)));
      results.clear();
    }
  }
}
