package dev.millrace.cli.batch;

import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns the body of an OpenAI request into the parameters of a task. A field that is unknown or not
 * supported is a problem, unless its value asks for the default behaviour.
 */
final class BatchRequestReader {
  /** Two names for the same limit. */
  private static final Set<String> SAMPLING =
      Set.of(
          "temperature",
          "top_p",
          "top_k",
          "min_p",
          "seed",
          "stop",
          "repeat_penalty",
          "repeat_last_n",
          "presence_penalty",
          "frequency_penalty",
          "logit_bias",
          "ignore_eos",
          "thinking",
          "json_schema",
          "grammar",
          "response_format");

  private static final Set<String> EMBEDDING = Set.of("pooling", "normalize");

  /** Fields that identify the request and do not change the answer. */
  private static final Set<String> LABELS =
      Set.of("user", "metadata", "safety_identifier", "prompt_cache_key");

  /** Values that ask for the default behaviour. */
  private static final Map<String, List<?>> AS_IT_IS =
      Map.ofEntries(
          Map.entry("n", List.of(1L)),
          Map.entry("best_of", List.of(1L)),
          Map.entry("stream", List.of(false)),
          Map.entry("echo", List.of(false)),
          Map.entry("store", List.of(false)),
          Map.entry("logprobs", List.of(false)),
          Map.entry("service_tier", List.of("auto", "default")),
          Map.entry("modalities", List.of(List.of("text"))),
          Map.entry("encoding_format", List.of("float")),
          Map.entry("tools", List.of(List.of())),
          Map.entry("tool_choice", List.of("none")),
          Map.entry("parallel_tool_calls", List.of(true, false)));

  private static final Map<String, String> WHY =
      Map.of(
          "n", "a request has one answer: repeat the line instead",
          "best_of", "a request has one answer: repeat the line instead",
          "stream", "a batch cannot be streamed",
          "logprobs", "probabilities are not kept",
          "top_logprobs", "probabilities are not kept",
          "tools", "tool calls are not supported",
          "functions", "tool calls are not supported",
          "tool_choice", "tool calls are not supported",
          "encoding_format", "vectors are written as numbers: it must be \"float\"",
          "dimensions", "vectors are as long as the model makes them");

  private static final Set<String> ROLES =
      Set.of("system", "developer", "user", "assistant", "tool");
  private static final Set<String> MESSAGE =
      Set.of("role", "content", "name", "refusal", "tool_calls", "tool_call_id");

  private final BatchEndpoint endpoint;
  private final JsonObject body;
  private final BiConsumer<String, String> problems;
  private final Map<String, @Nullable Object> task = new LinkedHashMap<>();

  private BatchRequestReader(
      BatchEndpoint endpoint, JsonObject body, BiConsumer<String, String> problems) {
    this.endpoint = endpoint;
    this.body = body;
    this.problems = problems;
  }

  /**
   * The parameters, "model" among them where the body names one.
   *
   * @param problems receives the field and the rule of each problem
   */
  static Map<String, @Nullable Object> read(
      BatchEndpoint endpoint, JsonObject body, BiConsumer<String, String> problems) {
    BatchRequestReader reader = new BatchRequestReader(endpoint, body, problems);
    reader.subject();
    body.values().forEach(reader::field);
    return reader.task;
  }

  private void subject() {
    switch (endpoint) {
      case CHAT -> {
        if (!(body.get("messages") instanceof List<?> list) || list.isEmpty()) {
          problems.accept("messages", "must be a list of at least one message");
        } else {
          task.put("messages", messages(list));
        }
      }
      case COMPLETION -> {
        task.put("prompt", single("prompt"));
        task.put("raw", true);
      }
      case EMBEDDING -> task.put("input", single("input"));
    }
  }

  /** A text, or a list of one. */
  private @Nullable Object single(String name) {
    Object value = body.get(name);
    if (value instanceof List<?> list && list.size() == 1) {
      value = list.getFirst();
    }
    if (value instanceof String text && !text.isEmpty()) {
      return text;
    }
    problems.accept(
        name,
        value instanceof List<?> list && list.size() > 1
            ? "has " + list.size() + " elements: give each a line of its own"
            : "must be a text that is not empty");
    return null;
  }

  private void field(String name, @Nullable Object value) {
    boolean subject = name.equals(endpoint.subject());
    if (subject || value == null || LABELS.contains(name)) {
      return;
    }
    if (name.equals("model")) {
      model(value);
    } else if (name.equals("max_tokens") || name.equals("max_completion_tokens")) {
      length(name, value);
    } else if ((endpoint == BatchEndpoint.EMBEDDING ? EMBEDDING : SAMPLING).contains(name)) {
      task.put(name, value);
    } else if (!AS_IT_IS.getOrDefault(name, List.of()).contains(value)) {
      unsupported(name, value);
    }
  }

  private void unsupported(String name, Object value) {
    String why = WHY.get(name);
    problems.accept(
        name,
        why != null || AS_IT_IS.containsKey(name)
            ? "cannot be "
                + SanitizedText.line(Json.write(value), 60)
                + (why == null ? "" : ": " + why)
            : "is not supported: leave it out");
  }

  private void model(Object value) {
    if (value instanceof String name && !name.isBlank()) {
      task.put("model", name);
    } else {
      problems.accept("model", "must be the name of a model");
    }
  }

  private void length(String name, Object value) {
    if (endpoint == BatchEndpoint.EMBEDDING) {
      problems.accept(name, "is not supported: leave it out");
    } else if (!(value instanceof Long number) || number < 1) {
      problems.accept(name, "must be a whole number from 1");
    } else if (task.put("max_tokens", number) != null) {
      problems.accept(name, "says the same as \"max_tokens\": give one of them");
    }
  }

  private List<Object> messages(List<?> list) {
    List<Object> messages = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      String where = "messages[" + i + "]";
      if (list.get(i) instanceof Map<?, ?> message) {
        messages.add(message(where, message));
      } else {
        problems.accept(where, "must be an object");
      }
    }
    return messages;
  }

  private Map<String, @Nullable Object> message(String where, Map<?, ?> message) {
    for (Object name : message.keySet()) {
      if (!MESSAGE.contains(String.valueOf(name)) && message.get(name) != null) {
        problems.accept(where + "." + name, "is not supported: leave it out");
      }
    }
    Object role = message.get("role");
    if (!(role instanceof String) || !ROLES.contains(role)) {
      problems.accept(where + ".role", "must be system, developer, user, assistant or tool");
    }
    Map<String, @Nullable Object> out = new LinkedHashMap<>();
    out.put("role", "developer".equals(role) ? "system" : role); // OpenAI's newer name for system
    out.put("content", content(where + ".content", message));
    for (String name : List.of("name", "tool_calls", "tool_call_id")) {
      if (message.get(name) != null) {
        out.put(name, message.get(name));
      }
    }
    return out;
  }

  /** Text, or a list of texts; a message that calls tools may have none. */
  private String content(String where, Map<?, ?> message) {
    Object content = message.get("content");
    if (content instanceof String text) {
      return text;
    }
    if (content == null && message.get("tool_calls") != null) {
      return "";
    }
    if (!(content instanceof List<?> parts) || parts.isEmpty()) {
      problems.accept(where, "must be a text");
      return "";
    }
    StringBuilder text = new StringBuilder();
    for (Object part : parts) {
      if (part instanceof Map<?, ?> map
          && "text".equals(map.get("type"))
          && map.get("text") instanceof String more) {
        text.append(text.isEmpty() ? "" : "\n").append(more);
      } else {
        problems.accept(where, "must be text: images, sound and files are not supported");
        break;
      }
    }
    return text.toString();
  }
}
