package dev.millrace.http.openai.response.request;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.request.CallArguments;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.openai.response.stream.ResponseIds;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Brings an item of the input into the one form in which items are kept and listed: with an id, a
 * status, and content as a list of parts. What is not text is refused by its name.
 */
final class InputItem {
  private static final Set<String> ROLES = Set.of("user", "system", "developer", "assistant");
  private static final String REFERENCE = "item_reference";

  /** The fields of each type of item; those of outputs, too, as clients send them back. */
  private static final Map<String, List<String>> FIELDS =
      Map.of(
          "message",
          List.of("type", "id", "role", "content", "status", "phase"),
          "function_call",
          List.of("type", "id", "call_id", "name", "arguments", "status", "parsed_arguments"),
          "function_call_output",
          List.of("type", "id", "call_id", "output", "status"),
          "reasoning",
          List.of("type", "id", "summary", "content", "status", "encrypted_content"),
          REFERENCE,
          List.of("type", "id"));

  /** The fields of each type of part. */
  private static final Map<String, List<String>> PARTS =
      Map.of(
          "input_text", List.of("type", "text"),
          "text", List.of("type", "text"),
          "summary_text", List.of("type", "text"),
          "reasoning_text", List.of("type", "text"),
          "output_text", List.of("type", "text", "annotations", "logprobs", "parsed"),
          "refusal", List.of("type", "refusal"));

  private final JsonObject item;
  private final String path;
  private final ResponseIds ids;
  private final int position;

  private InputItem(JsonObject item, int position, ResponseIds ids) {
    this.item = item;
    this.position = position;
    this.path = "input[" + position + "]";
    this.ids = ids;
  }

  /** A text as a user's message. */
  static Map<String, @Nullable Object> ofText(String text, ResponseIds ids) {
    return message(ids.inputItem("msg", 0), "user", List.of(part("input_text", text)));
  }

  /**
   * @param ids give an id to an item without one
   */
  static Map<String, @Nullable Object> of(@Nullable Object given, int position, ResponseIds ids) {
    return new InputItem(JsonObject.of(given, "an item"), position, ids).read();
  }

  private Map<String, @Nullable Object> read() {
    String type = text("type", item.has("role") ? "message" : REFERENCE);
    List<String> fields = FIELDS.get(type);
    if (fields != null) {
      OpenAiError.requireKnown(item.values(), fields, path);
    }
    return switch (type) {
      case "message" -> message();
      case "function_call" -> call();
      case "function_call_output" -> callOutput();
      case "reasoning" -> reasoning();
      case REFERENCE -> JsonObject.create().put("type", REFERENCE).put("id", need("id")).values();
      default ->
          throw OpenAiError.invalid(
              path + ".type",
              OpenAiError.quoted(type)
                  + " is not supported; supported are: message, function_call,"
                  + " function_call_output, reasoning, item_reference");
    };
  }

  private Map<String, @Nullable Object> message() {
    String role = need("role");
    if (!ROLES.contains(role)) {
      throw OpenAiError.invalid(path + ".role", "must be user, system, developer or assistant");
    }
    String type = role.equals("assistant") ? "output_text" : "input_text";
    String content = content("content", item.get("content"));
    return message(id("msg"), role, List.of(part(type, content)));
  }

  private static Map<String, @Nullable Object> message(String id, String role, List<?> content) {
    return JsonObject.create()
        .put("id", id)
        .put("type", "message")
        .put("role", role)
        .put("status", "completed")
        .put("content", content)
        .values();
  }

  private static Map<String, @Nullable Object> part(String type, String text) {
    JsonObject part = JsonObject.create().put("type", type).put("text", text);
    if (type.equals("output_text")) {
      part.put("annotations", List.of()).put("logprobs", List.of());
    }
    return part.values();
  }

  private Map<String, @Nullable Object> call() {
    boolean incomplete = "incomplete".equals(item.get("status")); // its arguments break off
    JsonObject call =
        JsonObject.create()
            .put("id", id("fc"))
            .put("type", "function_call")
            .put("status", incomplete ? "incomplete" : "completed")
            .put("call_id", need("call_id"))
            .put("name", need("name"))
            .put("arguments", need("arguments"));
    if (!incomplete) {
      CallArguments.require(call.string("arguments"), path + ".arguments");
    }
    return call.values();
  }

  private Map<String, @Nullable Object> callOutput() {
    return JsonObject.create()
        .put("id", id("fco"))
        .put("type", "function_call_output")
        .put("status", "completed")
        .put("call_id", need("call_id"))
        .put("output", content("output", item.get("output")))
        .values();
  }

  private Map<String, @Nullable Object> reasoning() {
    if (item.has("encrypted_content")) {
      throw OpenAiError.unsupported(
          path + ".encrypted_content", "cannot be read: send thoughts as plain text, in content");
    }
    String summary = item.has("summary") ? content("summary", item.get("summary")) : "";
    String thoughts = item.has("content") ? content("content", item.get("content")) : "";
    String text = thoughts.isEmpty() ? summary : thoughts;
    return JsonObject.create()
        .put("id", id("rs"))
        .put("type", "reasoning")
        .put("status", "completed")
        .put("summary", List.of())
        .put("content", text.isEmpty() ? List.of() : List.of(part("reasoning_text", text)))
        .values();
  }

  private String id(String prefix) {
    return text("id", ids.inputItem(prefix, position));
  }

  private String need(String name) {
    if (!item.has(name)) {
      throw OpenAiError.missing(path + "." + name);
    }
    return text(name, "");
  }

  private String text(String name, String otherwise) {
    return switch (item.get(name)) {
      case null -> otherwise;
      case String text -> text;
      default -> throw OpenAiError.invalid(path + "." + name, "must be text");
    };
  }

  private String content(String name, @Nullable Object content) {
    return switch (content) {
      case String text -> text;
      case List<?> parts -> {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
          all.append(partText("%s.%s[%d]".formatted(path, name, i), parts.get(i)));
        }
        yield all.toString();
      }
      case null -> throw OpenAiError.missing(path + "." + name);
      default -> throw OpenAiError.invalid(path + "." + name, "must be text or a list of parts");
    };
  }

  private static String partText(String path, @Nullable Object part) {
    if (!(part instanceof Map<?, ?> fields)) {
      throw OpenAiError.invalid(path, "must be an object");
    }
    Object type = fields.get("type");
    List<String> known = PARTS.get(String.valueOf(type));
    if (known == null) {
      throw OpenAiError.invalid(
          path + ".type",
          OpenAiError.quoted(type) + " is not supported: the models read text only");
    }
    OpenAiError.requireKnown(fields, known, path);
    String key = "refusal".equals(type) ? "refusal" : "text";
    if (!(fields.get(key) instanceof String text)) {
      throw OpenAiError.missing(path + "." + key);
    }
    return text;
  }
}
