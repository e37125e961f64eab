package dev.millrace.engine.internal.toolcall;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.grammar.JsonSchema;
import dev.millrace.engine.internal.grammar.schema.UnsupportedKeywordException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Arguments as tags: strings as they are, all other values as JSON. A string with a restriction
 * other than its values, or with a value that has the closing tag, is written in quotes, as the
 * grammar of the schema has it.
 */
final class TagGrammar {
  private static final Set<String> KNOWN =
      Set.of(
          "type",
          "properties",
          "required",
          "additionalProperties",
          "$defs",
          "definitions",
          "$schema",
          "$id",
          "$comment",
          "title",
          "description",
          "examples",
          "default");

  private final Map<String, ? extends @Nullable Object> schema;
  private final ArgumentTypes types;

  TagGrammar(Map<String, ? extends @Nullable Object> schema) {
    this.schema = schema;
    this.types = new ArgumentTypes(schema);
  }

  /** Any arguments. */
  static Grammar anyArguments() {
    Grammar name = Grammar.gbnf("root ::= [a-zA-Z0-9_.-]{1,64}");
    return tag(name, text()).repeated(0);
  }

  private static Grammar tag(Grammar name, Grammar value) {
    return Grammar.sequence(
        List.of(
            Grammar.text(TagArgumentsStep.OPEN),
            name,
            Grammar.text(">\n"),
            value,
            Grammar.text("\n" + TagArgumentsStep.CLOSE + "\n")));
  }

  /**
   * Any text without the closing tag. The tag's first character occurs nowhere else in it, so a
   * text is free of it if after each of its beginnings another character follows.
   */
  static Grammar text() {
    String close = TagArgumentsStep.CLOSE;
    StringBuilder begun = new StringBuilder();
    StringBuilder broken = new StringBuilder();
    for (int i = 1; i < close.length(); i++) {
      String or = i == 1 ? "" : " | ";
      String beginning = "\"" + close.substring(0, i) + "\"";
      begun.append(or).append(beginning);
      broken.append(or).append("%s [^<%c]".formatted(beginning, close.charAt(i)));
    }
    return Grammar.gbnf(
        "root ::= ([^<] | begun* (%s))* begun*\nbegun ::= %s\n".formatted(broken, begun));
  }

  Grammar arguments() {
    for (String keyword : schema.keySet()) {
      if (!KNOWN.contains(keyword)) {
        throw new UnsupportedKeywordException(
            "#", keyword, "schema at #: '%s' is not supported".formatted(keyword));
      }
    }
    if (!(schema.get("properties") instanceof Map<?, ?> properties)) {
      return undescribed();
    }
    List<?> required = schema.get("required") instanceof List<?> list ? list : List.of();
    List<Grammar> parts = new ArrayList<>();
    properties.forEach(
        (key, property) -> {
          String name = String.valueOf(key);
          Grammar part = tag(nameOf(name), value(name));
          parts.add(required.contains(key) ? part : part.optional());
        });
    for (Object name : required) {
      if (!properties.containsKey(name)) {
        parts.add(tag(nameOf(String.valueOf(name)), text()));
      }
    }
    return Grammar.sequence(parts);
  }

  private Grammar undescribed() {
    JsonSchema.compile(schema);
    return switch (schema.get("additionalProperties")) {
      case Map<?, ?> values ->
          throw new GrammarException(
              "schema at #: 'additionalProperties' as a schema is not supported without"
                  + " 'properties'");
      case Boolean any when !any -> Grammar.text("");
      case null, default -> anyArguments();
    };
  }

  private static Grammar nameOf(String name) {
    if (name.isEmpty() || name.chars().anyMatch(c -> c < ' ' || c == '<' || c == '>')) {
      throw new GrammarException(
          "schema at #: the property name \"%s\" cannot be written as a tag".formatted(name));
    }
    return Grammar.text(name);
  }

  private Grammar value(String name) {
    String pointer = name.replace("~", "~0").replace("/", "~1").replace("%", "%25");
    Grammar json = JsonSchema.compilePart(schema, "#/properties/" + pointer);
    if (!types.of(name).isText()) {
      return json;
    }
    List<Grammar> constants = types.constants(name).stream().map(Grammar::text).toList();
    return constants.isEmpty() ? text() : Grammar.anyOf(constants);
  }
}
