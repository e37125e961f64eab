package dev.millrace.engine.grammar;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.grammar.schema.SchemaRuleCompiler;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON schemas as grammars. Every text of the grammar is JSON that satisfies the schema; what the
 * grammar cannot say is refused by keyword and place, never ignored. The texts are fewer than the
 * schema allows, in these ways:
 *
 * <ul>
 *   <li>No whitespace but at most one space after each comma and colon.
 *   <li>Properties come in the order of the schema, then required ones that it does not describe,
 * then additional ones. Properties that are not described are made only where {@code
 * additionalProperties} is true or a schema, or where an object is described by nothing; they never
 * repeat a described name, but may repeat each other.
 *   <li>Items behind {@code prefixItems} are made only where {@code items} describes them or {@code
 * minItems} needs them.
 *   <li>Without {@code type}, values are of the types that the other keywords speak of; of any type
 * without those.
 *   <li>Numbers without bounds have at most 18 digits before the point, 17 after it and 2 in the
 * exponent; integers and numbers with bounds have no exponent. Bounds are exact in decimal, for
 * integers and fractions.
 *   <li>Strings that a {@code pattern} or {@code format} describes, and names of additional
 * properties beside described ones, are spelled without needless escapes. </ul>
 *
 * <p>{@code oneOf} is taken where its schemas are seen to exclude each other (by type, by values,
 * or by a required property whose schemas do); else it is refused, and {@code anyOf} is what to
 * write. {@code allOf}, and keywords beside {@code $ref} and {@code anyOf}, are merged keyword by
 * keyword; what cannot be merged is refused. {@code $ref} leads to places within the schema,
 * recursively where a value lies between. Formats are date, time, date-time, uuid, email and ipv4.
 * Title, description, default, examples, deprecated, readOnly, writeOnly, $schema, $id and $comment
 * say nothing about the text and are passed over; any other keyword is refused.
 */
public final class JsonSchema {
  private JsonSchema() {}

  /**
   * The grammar of a schema in the object model of any JSON reader: maps, lists, strings, numbers,
   * booleans and nulls. Maps are read in their own order, which becomes that of properties.
   *
   * @throws GrammarException naming the place and the keyword that cannot be honoured
   */
  public static Grammar compile(Map<String, ? extends @Nullable Object> schema) {
    return new Grammar(new SchemaRuleCompiler(schema).compile());
  }
}
