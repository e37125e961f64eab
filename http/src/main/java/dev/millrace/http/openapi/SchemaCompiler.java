package dev.millrace.http.openapi;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the schemas of one document, shared ones only once. It refuses unknown keywords, so that
 * every rule of the document is checked.
 */
final class SchemaCompiler {

  /** Keywords that do not affect validity. */
  private static final Set<String> ANNOTATIONS =
      Set.of("title", "description", "default", "examples", "deprecated", "$comment");

  private static final Set<String> RULES =
      Set.of(
          "$ref",
          "type",
          "properties",
          "required",
          "additionalProperties",
          "items",
          "enum",
          "const",
          "minimum",
          "maximum",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "minLength",
          "maxLength",
          "minItems",
          "maxItems",
          "pattern",
          "format",
          "oneOf",
          "anyOf",
          "not",
          "discriminator");

  private final JsonObject document;
  private final Map<String, Schema> shared = new HashMap<>();

  SchemaCompiler(JsonObject document) {
    this.document = document;
  }

  /** What {@code #/a/b} refers to in the document. */
  Object resolve(String reference) {
    if (!reference.startsWith("#/")) {
      throw new JsonException("$ref \"" + reference + "\" must begin with \"#/\"");
    }
    Object at = document.values();
    for (String step : reference.substring(2).split("/", -1)) {
      String name = step.replace("~1", "/").replace("~0", "~");
      at = at instanceof Map<?, ?> map ? map.get(name) : null;
      if (at == null) {
        throw new JsonException("$ref \"" + reference + "\" leads nowhere, at \"" + name + "\"");
      }
    }
    return at;
  }

  /**
   * @param where names the schema in errors
   * @throws JsonException if it has an unknown keyword or a broken reference
   */
  Schema compile(@Nullable Object source, String where) {
    Schema schema = new Schema();
    fill(schema, source, where);
    return schema;
  }

  private Schema reference(String reference) {
    Schema known = shared.get(reference);
    if (known != null) {
      return known; // may not be defined yet: schemas may be recursive
    }
    Schema schema = new Schema();
    shared.put(reference, schema);
    fill(schema, resolve(reference), reference);
    return schema;
  }

  private void fill(Schema schema, @Nullable Object source, String where) {
    if (source instanceof Boolean all) {
      schema.define(
          SchemaType.ANY,
          "",
          all ? List.of() : List.of((v, d) -> SchemaViolation.malformed("is not allowed")));
      return;
    }
    JsonObject in = JsonObject.of(source, where);
    for (String keyword : in.values().keySet()) {
      if (!RULES.contains(keyword) && !ANNOTATIONS.contains(keyword) && !keyword.startsWith("x-")) {
        throw new JsonException(where + " has the keyword \"" + keyword + "\", unknown here");
      }
    }
    List<Schema.Rule> rules = new ArrayList<>();
    SchemaType type = type(in, rules);
    String reference = in.string("$ref", null);
    if (reference != null) {
      Schema target = reference(reference);
      type = in.has("type") ? type : target.type();
      rules.add(SchemaAlternatives.reference(target));
    }
    values(in, rules, where);
    parts(in, rules, where);
    choices(in, rules, where);
    schema.define(type, in.string("title", ""), rules);
  }

  private static SchemaType type(JsonObject in, List<Schema.Rule> rules) {
    Object types = in.get("type");
    if (types == null) {
      return SchemaType.ANY;
    }
    Set<SchemaType.Kind> kinds = EnumSet.noneOf(SchemaType.Kind.class);
    for (Object word : types instanceof List<?> list ? list : List.of(types)) {
      kinds.add(SchemaType.Kind.valueOf(String.valueOf(word).toUpperCase(Locale.ROOT)));
    }
    SchemaType type = new SchemaType(kinds);
    rules.add(SchemaRules.type(type));
    return type;
  }

  private static void values(JsonObject in, List<Schema.Rule> rules, String where) {
    if (in.has("enum")) {
      rules.add(SchemaRules.oneOf(in.list("enum"), false));
    }
    if (in.values().containsKey("const")) {
      rules.add(SchemaRules.oneOf(Arrays.asList(in.get("const")), true));
    }
    bound(in, "minimum", 1, false, rules);
    bound(in, "maximum", -1, false, rules);
    bound(in, "exclusiveMinimum", 1, true, rules);
    bound(in, "exclusiveMaximum", -1, true, rules);
    if (in.has("minLength") || in.has("maxLength")) {
      rules.add(
          SchemaRules.length(in.integer("minLength", 0), in.integer("maxLength", Long.MAX_VALUE)));
    }
    if (in.has("pattern")) {
      rules.add(SchemaRules.pattern(in.string("pattern")));
    }
    if (in.has("format")) {
      rules.add(SchemaRules.format(format(in.string("format"), where)));
    }
  }

  private static void bound(
      JsonObject in, String name, int sign, boolean exclusive, List<Schema.Rule> rules) {
    if (in.get(name) instanceof Number bound) {
      rules.add(SchemaRules.bound(bound, sign, exclusive));
    }
  }

  private static StringFormat format(String name, String where) {
    try {
      return StringFormat.of(name);
    } catch (IllegalArgumentException e) {
      throw new JsonException(where + " has the format \"" + name + "\", unknown here");
    }
  }

  private void parts(JsonObject in, List<Schema.Rule> rules, String where) {
    Object others = in.values().getOrDefault("additionalProperties", Boolean.TRUE);
    if (in.has("properties") || !Boolean.TRUE.equals(others)) {
      Map<String, Schema> known = new LinkedHashMap<>();
      in.object("properties")
          .values()
          .forEach((name, part) -> known.put(name, compile(part, where + "/" + name)));
      Schema rest =
          Boolean.FALSE.equals(others) ? null : compile(others, where + "/additionalProperties");
      rules.add(SchemaRules.properties(known, rest));
    }
    // After the unknown names: a missing name is often a misspelt one.
    if (in.has("required")) {
      rules.add(SchemaRules.required(in.list("required").stream().map(String::valueOf).toList()));
    }
    if (in.has("items")) {
      rules.add(SchemaRules.items(compile(in.get("items"), where + "/items")));
    }
    // After the items: a list that is too long says which alternative it was meant to be.
    if (in.has("minItems") || in.has("maxItems")) {
      rules.add(
          SchemaRules.size(in.integer("minItems", 0), in.integer("maxItems", Long.MAX_VALUE)));
    }
  }

  private void choices(JsonObject in, List<Schema.Rule> rules, String where) {
    for (String keyword : List.of("oneOf", "anyOf")) {
      if (in.has(keyword)) {
        rules.add(choice(in, keyword, where + "/" + keyword));
      }
    }
    if (in.has("not")) {
      Object refused = Objects.requireNonNull(in.get("not"));
      rules.add(SchemaAlternatives.not(compile(refused, where + "/not"), Json.write(refused)));
    }
  }

  private Schema.Rule choice(JsonObject in, String keyword, String where) {
    List<Schema> schemas = new ArrayList<>();
    Map<String, Schema> byReference = new HashMap<>();
    for (Object source : in.list(keyword)) {
      Schema schema = compile(source, where + "/" + schemas.size());
      schemas.add(schema);
      byReference.put(String.valueOf(JsonObject.of(source, where).get("$ref")), schema);
    }
    JsonObject discriminator = in.object("discriminator").only(Set.of("propertyName", "mapping"));
    Map<String, Schema> mapping = new HashMap<>();
    discriminator
        .object("mapping")
        .values()
        .forEach(
            (value, reference) -> {
              Schema schema = byReference.get(String.valueOf(reference));
              if (schema == null) {
                throw new JsonException(where + " does not list \"" + reference + "\"");
              }
              mapping.put(value, schema);
            });
    return new SchemaAlternatives(
        schemas, keyword.equals("oneOf"), discriminator.string("propertyName", null), mapping);
  }
}
