package dev.millrace.server.infer.parameters;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.grammar.JsonSchema;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A format that the output must match.
 *
 * @param text the schema, or the grammar; empty for any JSON object
 * @param requiresJson whether only complete JSON is a valid result
 */
public record OutputConstraint(Kind kind, String text, boolean requiresJson) {
  private static final int MAX_LENGTH = 1_000_000;

  static final Set<String> NAMES = Set.of("json_schema", "grammar", "response_format");

  public enum Kind {
    JSON_SCHEMA,
    GRAMMAR,
    JSON_OBJECT
  }

  /** The constraint that a task asks for; null if none. */
  static @Nullable OutputConstraint of(ParameterReader fields) {
    fields.rejectBoth("response_format", "json_schema");
    fields.rejectBoth("response_format", "grammar");
    Object schema = fields.get("json_schema");
    String grammar = fields.text("grammar");
    if (schema instanceof String) {
      return schema(schema); // its file has its grammar beside it, for nrvna; the schema decides
    }
    fields.rejectBoth("json_schema", "grammar");
    if (grammar != null) {
      return grammar(grammar);
    }
    return schema != null ? schema(schema) : format(fields.get("response_format"));
  }

  private static OutputConstraint grammar(String text) {
    if (text.isBlank()) {
      throw TaskRefused.ofParameter("grammar", "Grammar file is empty");
    }
    if (text.length() > MAX_LENGTH) {
      throw TaskRefused.ofParameter("grammar", "Grammar file is too large");
    }
    return new OutputConstraint(Kind.GRAMMAR, text, false);
  }

  private static OutputConstraint schema(Object schema) {
    if (schema instanceof String text) {
      try {
        return new OutputConstraint(Kind.JSON_SCHEMA, Json.object(text).toString(), true);
      } catch (JsonException e) {
        throw refusal("json_schema", e);
      }
    }
    if (schema instanceof Map<?, ?>) {
      return new OutputConstraint(Kind.JSON_SCHEMA, Json.write(schema), true);
    }
    throw ParameterReader.invalid("json_schema", schema, "a JSON schema: an object, or its text");
  }

  /** OpenAI's {@code response_format}. */
  private static @Nullable OutputConstraint format(@Nullable Object format) {
    String forms = "{\"type\": \"text\"}, \"json_object\" or \"json_schema\" with its schema";
    if (format == null) {
      return null;
    }
    if (!(format instanceof Map<?, ?> map)) {
      throw ParameterReader.invalid("response_format", format, forms);
    }
    Object type = map.get("type");
    if ("json_schema".equals(type)
        && map.get("json_schema") instanceof Map<?, ?> named
        && named.get("schema") instanceof Map<?, ?> schema) {
      return schema(schema);
    }
    if ("json_object".equals(type)) {
      return new OutputConstraint(Kind.JSON_OBJECT, "", true);
    }
    if ("text".equals(type)) {
      return null;
    }
    throw ParameterReader.invalid("response_format", format, forms);
  }

  /**
   * @throws TaskRefused if the schema or grammar is invalid; the message names the reason
   */
  public Grammar grammar() {
    try {
      return switch (kind) {
        case JSON_SCHEMA -> JsonSchema.compile(Json.object(text).values());
        case GRAMMAR -> Grammar.gbnf(text);
        case JSON_OBJECT -> Grammar.jsonObject();
      };
    } catch (GrammarException e) {
      throw refusal(name(), e);
    }
  }

  private static TaskRefused refusal(String name, Exception why) {
    return new TaskRefused(TaskRefused.Reason.PARAMETER, name, name + ": " + why.getMessage(), why);
  }

  public String name() {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** For terms and receipts: by its hash, since the text is in the job. */
  JsonObject toJson() {
    return JsonObject.create().put("kind", name()).put("sha256", Sha256.hexOf(text));
  }
}
