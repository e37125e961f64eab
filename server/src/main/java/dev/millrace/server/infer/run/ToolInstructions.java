package dev.millrace.server.infer.run;

import dev.millrace.core.json.Json;
import dev.millrace.engine.chat.ChatTemplate;
import dev.millrace.engine.toolcall.ToolCall;
import dev.millrace.engine.toolcall.ToolCallFormat;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Shows tools to a model whose chat template does not: as a text in its system message, or before
 * the first message if it has none, as not every template accepts one.
 */
final class ToolInstructions {
  private static final Pattern TOOLS = Pattern.compile("\\btools\\b");

  private ToolInstructions() {}

  static boolean areShownBy(ChatTemplate template) {
    return template.origin() == ChatTemplate.Origin.FILE && TOOLS.matcher(template.source()).find();
  }

  static List<Map<String, @Nullable Object>> addTo(
      List<Map<String, @Nullable Object>> messages,
      List<Map<String, @Nullable Object>> tools,
      ToolCallFormat format) {
    Map<String, @Nullable Object> first = new LinkedHashMap<>(messages.getFirst());
    String text = text(tools, format);
    Object content = first.get("content");
    first.put(
        "content",
        "system".equals(first.get("role")) ? content + "\n\n" + text : text + "\n\n" + content);
    List<Map<String, @Nullable Object>> all = new ArrayList<>(messages);
    all.set(0, first);
    return all;
  }

  private static String text(List<Map<String, @Nullable Object>> tools, ToolCallFormat format) {
    String example = format.write(List.of(new ToolCall("NAME", Map.of("PARAMETER", "\"value\""))));
    return "You can call these functions:\n%s\nTo call one, answer with nothing but the call, in this form:\n%s"
        .formatted(Json.write(tools), example);
  }
}
