package dev.millrace.http.openai.request;

import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Translates the tools of a chat request, and how the model must use them. */
public final class ChatTools {
  private static final String FUNCTIONS_ONLY =
      "is \"%s\"; this server calls tools of type function only";

  private ChatTools() {}

  /** Copies tools, tool_choice and parallel_tool_calls into the parameters of a generate task. */
  public static void copy(JsonObject body, JsonObject data) {
    List<Map<String, @Nullable Object>> tools = tools(body);
    if (tools.isEmpty()) {
      requireNone(body);
      return;
    }
    data.put("tools", tools);
    data.putIfPresent("tool_choice", body.get("tool_choice"));
    data.putIfPresent("parallel_tool_calls", body.get("parallel_tool_calls"));
  }

  private static List<Map<String, @Nullable Object>> tools(JsonObject body) {
    List<Map<String, @Nullable Object>> tools = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Object given : body.list("tools")) {
      String at = "tools[" + tools.size() + "]";
      JsonObject tool = JsonObject.of(given, at);
      String type = tool.string("type");
      if (!type.equals("function")) {
        throw OpenAiError.unsupported(at + ".type", FUNCTIONS_ONLY.formatted(type));
      }
      if (!tool.has("function")) {
        throw OpenAiError.missing(at + ".function");
      }
      String name = tool.object("function").string("name");
      if (!names.add(name)) {
        throw OpenAiError.invalid(at + ".function.name", "is \"" + name + "\" again");
      }
      tools.add(tool.values());
    }
    return tools;
  }

  /** Without tools, a request may say no more than that none is called. */
  private static void requireNone(JsonObject body) {
    Object choice = body.get("tool_choice");
    if (choice != null && !choice.equals("none") && !choice.equals("auto")) {
      throw OpenAiError.invalid("tool_choice", "needs tools, and the request has none");
    }
  }
}
