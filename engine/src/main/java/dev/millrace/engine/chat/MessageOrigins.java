package dev.millrace.engine.chat;

import dev.millrace.engine.internal.jinja.value.PyString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides what in a conversation counts as written by the template: the known roles, as templates
 * make markers of them ({@code '<|' + role + '|>'}), and in the assistant's own answers the markers
 * of thoughts and calls, as the model wrote those. Everything else is a message's.
 */
final class MessageOrigins {
  private static final Set<String> ROLES =
      Set.of("system", "developer", "user", "assistant", "tool");
  private static final Set<String> ANSWERS =
      Set.of("content", "reasoning_content", "thinking", "thought");

  private final List<String> answerMarkers; // the longest first

  MessageOrigins(Set<String> answerMarkers) {
    this.answerMarkers =
        answerMarkers.stream().sorted(Comparator.comparingInt(String::length).reversed()).toList();
  }

  /** The messages, with each exception from the rule as a {@link PyString}. */
  @Nullable Object mark(@Nullable Object messages) {
    return messages instanceof List<?> list ? each(list, this::message) : messages;
  }

  private @Nullable Object message(@Nullable Object given) {
    if (!(given instanceof Map<?, ?> map)
        || !(map.get("role") instanceof CharSequence role)
        || !ROLES.contains(role.toString())) {
      return given;
    }
    Map<Object, @Nullable Object> message = new LinkedHashMap<>(map);
    message.put("role", PyString.ofTemplate(role.toString()));
    if (role.toString().equals("assistant") && !answerMarkers.isEmpty()) {
      message.replaceAll((key, value) -> ANSWERS.contains(key) ? answer(value) : value);
    }
    return message;
  }

  /** A text of the assistant, or a list of parts with texts. */
  private @Nullable Object answer(@Nullable Object given) {
    return switch (given) {
      case CharSequence text -> answer(text.toString());
      case List<?> parts -> each(parts, this::part);
      case null, default -> given;
    };
  }

  private @Nullable Object part(@Nullable Object given) {
    if (!(given instanceof Map<?, ?> map) || !(map.get("text") instanceof CharSequence text)) {
      return given;
    }
    Map<Object, @Nullable Object> part = new LinkedHashMap<>(map);
    part.put("text", answer(text.toString()));
    return part;
  }

  private PyString answer(String text) {
    PyString whole = PyString.ofMessage(text);
    PyString.Builder out = new PyString.Builder();
    int from = 0;
    for (int i = 0; i < text.length(); ) {
      String marker = markerAt(text, i);
      if (marker == null) {
        i++;
        continue;
      }
      out.append(whole, from, i).append(marker);
      i += marker.length();
      from = i;
    }
    return out.append(whole, from, text.length()).build();
  }

  private @Nullable String markerAt(String text, int at) {
    for (String marker : answerMarkers) {
      if (text.startsWith(marker, at)) {
        return marker;
      }
    }
    return null;
  }

  private interface Change {
    @Nullable Object of(@Nullable Object item);
  }

  private static List<@Nullable Object> each(List<?> list, Change change) {
    List<@Nullable Object> changed = new ArrayList<>(list.size());
    list.forEach(item -> changed.add(change.of(item)));
    return changed;
  }
}
