package dev.millrace.server.infer.run;

import dev.millrace.core.json.Json;
import dev.millrace.engine.chat.ChatTemplate;
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
      ChatTemplate template) {
    Map<String, @Nullable Object> first = new LinkedHashMap<>(messages.getFirst());
    String text = text(tools, ToolCallFormat.usedBy(template.source()));
    Object content = first.get("content");
    first.put(
        "content",
        "system".equals(first.get("role")) ? content + "\n\n" + text : text + "\n\n" + content);
    List<Map<String, @Nullable Object>> all = new ArrayList<>(messages);
    all.set(0, first);
    return all;
  }

  private static String text(List<Map<String, @Nullable Object>> tools, ToolCallFormat format) {
    String arguments =
        switch (format) {
          case GEMMA, LLAMA3 -> "parameters";
          default -> "arguments";
        };
    return "You can call these functions:\n%s\nTo call one, answer with nothing but a JSON object: {\"name\": its name, \"%s\": an object}."
        .formatted(Json.write(tools), arguments);
  }
}
