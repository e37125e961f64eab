/**
 * JSON schemas to grammar rules, keyword by keyword: references, merging ({@code allOf}), types,
 * objects, string patterns and formats, number ranges. An unsupported keyword is rejected with its
 * name and location. Start at {@link SchemaRuleCompiler}.
 */
@NullMarked
package dev.millrace.engine.internal.grammar.schema;

import org.jspecify.annotations.NullMarked;
