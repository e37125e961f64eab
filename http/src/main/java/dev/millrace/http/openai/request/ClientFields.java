package dev.millrace.http.openai.request;

import dev.millrace.core.json.JsonObject;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the field of a client's request that became a parameter of a generate task, so that an error
 * names what the client wrote.
 */
public final class ClientFields {
  private static final List<String> LENGTHS =
      List.of("max_completion_tokens", "max_output_tokens", "n_predict");

  private final JsonObject body;
  private final String prompt;
  private final String schema;
  private final String effort;
  private final String toolSchema;

  private ClientFields(
      JsonObject body, String prompt, String schema, String effort, String toolSchema) {
    this.body = body;
    this.prompt = prompt;
    this.schema = schema;
    this.effort = effort;
    this.toolSchema = toolSchema;
  }

  public static ClientFields chat(JsonObject body) {
    String schema =
        body.has("response_format") ? "response_format.json_schema.schema" : "json_schema";
    return new ClientFields(
        body, "messages", schema, "reasoning_effort", "tools[%d].function.parameters");
  }

  public static ClientFields response(JsonObject body) {
    return new ClientFields(
        body, "input", "text.format.schema", "reasoning.effort", "tools[%d].parameters");
  }

  /** The fields of a request without messages. */
  public static ClientFields raw(JsonObject body, String prompt) {
    return new ClientFields(body, prompt, "json_schema", "reasoning_effort", "tools");
  }

  /** The fields of a request to a path. */
  public static ClientFields of(String path, @Nullable Object body) {
    JsonObject fields =
        body instanceof Map<?, ?> ? JsonObject.of(body, "request body") : JsonObject.create();
    if (path.startsWith("/v1/chat") || path.startsWith("/apply-template")) {
      return chat(fields);
    }
    if (path.startsWith("/v1/responses")) {
      return response(fields);
    }
    return raw(fields, path.startsWith("/v1/completions") ? "prompt" : "input");
  }

  /** The field that has the prompt. */
  String prompt() {
    return prompt;
  }

  /** The field that a parameter comes from. */
  String field(String parameter, TaskRefused refused) {
    return switch (parameter) {
      case "prompt", "prompt_tokens", "messages" -> prompt;
      case "json_schema" -> schema;
      case "reasoning_effort" -> effort;
      case "max_tokens" -> given(LENGTHS, parameter);
      case "repeat_penalty" -> given(List.of("repetition_penalty"), parameter);
      case "logprobs" -> given(List.of("top_logprobs"), parameter);
      case "tools" -> tool(refused.getMessage());
      default -> parameter.startsWith("messages: ") ? prompt : parameter;
    };
  }

  private String given(List<String> names, String otherwise) {
    return names.stream().filter(body::has).findFirst().orElse(otherwise);
  }

  /** The schema of the tool that a refusal is about. */
  private String tool(String refusal) {
    List<@Nullable Object> tools = body.list("tools");
    for (int i = 0; i < tools.size(); i++) {
      JsonObject tool = JsonObject.of(tools.get(i), "a tool");
      Object name = tool.has("function") ? tool.object("function").get("name") : tool.get("name");
      if (refusal.contains("tool " + name + " is strict")) {
        return toolSchema.formatted(i);
      }
    }
    return "tools";
  }
}
