package dev.millrace.server.infer.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes the names of messages before their texts where the chat template does not show them. The
 * name of a result is that of its function, which its call has.
 */
final class ParticipantNames {
  private static final String MARK = "PARTICIPANT %d.";

  private ParticipantNames() {}

  static boolean areIn(List<Map<String, @Nullable Object>> messages) {
    return messages.stream().anyMatch(ParticipantNames::isNamed);
  }

  private static boolean isNamed(Map<String, @Nullable Object> message) {
    return message.get("name") instanceof String name
        && !name.isBlank()
        && !"tool".equals(message.get("role"));
  }

  /**
   * @param rendering the prompt of messages
   */
  static List<Map<String, @Nullable Object>> write(
      List<Map<String, @Nullable Object>> messages,
      Function<List<Map<String, @Nullable Object>>, String> rendering) {
    List<Map<String, @Nullable Object>> marked = new ArrayList<>();
    for (Map<String, @Nullable Object> message : messages) {
      marked.add(isNamed(message) ? with(message, "name", MARK.formatted(marked.size())) : message);
    }
    String prompt = rendering.apply(marked);
    List<Map<String, @Nullable Object>> written = new ArrayList<>();
    for (Map<String, @Nullable Object> message : messages) {
      boolean hidden = isNamed(message) && !prompt.contains(MARK.formatted(written.size()));
      written.add(hidden ? with(message, "content", text(message)) : message);
    }
    return written;
  }

  private static String text(Map<String, @Nullable Object> message) {
    Object content = message.get("content");
    return message.get("name") + ":" + (content == null ? "" : " " + content);
  }

  private static Map<String, @Nullable Object> with(
      Map<String, @Nullable Object> message, String field, String value) {
    Map<String, @Nullable Object> changed = new LinkedHashMap<>(message);
    changed.put(field, value);
    return changed;
  }
}
