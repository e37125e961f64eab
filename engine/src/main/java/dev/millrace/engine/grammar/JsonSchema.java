package dev.millrace.engine.grammar;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.schema.SchemaRuleCompiler;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON schemas as grammars. Every text of the grammar is JSON that satisfies the schema; what the
 * grammar cannot express is rejected with its keyword and location, never ignored. The grammar
 * allows fewer texts than the schema, in these ways:
 *
 * <ul>
 *   <li>No whitespace but at most one space after each comma and colon.
 *   <li>Properties come in the order of the schema, then required ones that it does not describe,
 *       then additional ones. Properties that are not described are generated only if {@code
 *       additionalProperties} is true or a schema, or if nothing describes the object; they never
 *       repeat a described name, but may repeat each other.
 *   <li>Items after {@code prefixItems} are generated only if {@code items} describes them or
 *       {@code minItems} needs them.
 *   <li>Without {@code type}, values have the types that the other keywords apply to; without
 *       those, any type.
 *   <li>Numbers without bounds have at most 18 digits before the point, 17 after it and 2 in the
 *       exponent; integers and numbers with bounds have no exponent. Bounds are exact in decimal,
 *       for integers and fractions.
 *   <li>Strings that a {@code pattern} or {@code format} describes, and names of additional
 *       properties beside described ones, are spelled without needless escapes.
 * </ul>
 *
 * <p>{@code oneOf} is supported if its schemas clearly exclude each other (by type, by values, or
 * by a required property whose schemas do); else it is rejected: use {@code anyOf} instead. {@code
 * allOf}, and keywords beside {@code $ref} and {@code anyOf}, are merged keyword by keyword; what
 * cannot be merged is rejected. {@code $ref} points within the schema, also recursively if a value
 * lies between. Formats are date, time, date-time, uuid, email and ipv4. Title, description,
 * default, examples, deprecated, readOnly, writeOnly, $schema, $id and $comment do not restrict the
 * text and are skipped; any other keyword is rejected.
 */
public final class JsonSchema {
  private JsonSchema() {}

  /**
   * Compiles a schema, given in the object model of any JSON reader: maps, lists, strings, numbers,
   * booleans and nulls. The order of a map becomes the order of the properties.
   *
   * @throws GrammarException with the location and the keyword that is not supported
   */
  public static Grammar compile(Map<String, ? extends @Nullable Object> schema) {
    return new Grammar(new SchemaRuleCompiler(schema, CompileBudget.current()).compile());
  }

  /**
   * Compiles a part of a schema; references in it point into the whole.
   *
   * @param pointer where the part is: {@code #/properties/city}
   * @throws GrammarException with the location and the keyword that is not supported
   */
  public static Grammar compilePart(
      Map<String, ? extends @Nullable Object> schema, String pointer) {
    return new Grammar(
        new SchemaRuleCompiler(schema, CompileBudget.current()).compilePart(pointer));
  }
}
