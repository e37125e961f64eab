/**
 * JSON schemas to grammar rules, keyword by keyword: references, merging ({@code allOf}), types,
 * objects, string patterns and formats, number ranges. A keyword that cannot be honoured is refused
 * by name and place. Start at {@link SchemaRuleCompiler}.
 */
@NullMarked
package dev.millrace.engine.internal.grammar.schema;

import org.jspecify.annotations.NullMarked;
