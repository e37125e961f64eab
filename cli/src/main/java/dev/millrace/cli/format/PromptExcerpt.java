package dev.millrace.cli.format;

import dev.millrace.core.json.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The beginning of what a task was asked, on one line. */
public final class PromptExcerpt {
  /** More than any terminal shows. */
  private static final int MOST = 1_000;

  private PromptExcerpt() {}

  /**
   * @param input text, a conversation, or any other JSON value
   */
  public static String of(@Nullable Object input) {
    String text = text(input);
    return text.substring(0, Math.min(MOST, text.length())).strip().replaceAll("\\s+", " ");
  }

  private static String text(@Nullable Object input) {
    return switch (input) {
      case null -> "";
      case String text -> text;
      case Map<?, ?> map when map.get("messages") instanceof List<?> messages ->
          lastQuestion(messages);
      case Map<?, ?> map when map.get("prompt") instanceof String prompt -> prompt;
      case List<?> messages when isConversation(messages) -> lastQuestion(messages);
      default -> Json.write(input);
    };
  }

  private static boolean isConversation(List<?> list) {
    return !list.isEmpty()
        && list.stream().allMatch(each -> each instanceof Map<?, ?> map && map.containsKey("role"));
  }

  /** The last message of the user says what is asked; the first ones are often instructions. */
  private static String lastQuestion(List<?> messages) {
    for (Object each : messages.reversed()) {
      if (each instanceof Map<?, ?> message
          && "user".equals(message.get("role"))
          && message.get("content") instanceof String content) {
        return content;
      }
    }
    return Json.write(messages);
  }
}
