/**
 * The builtin filters ({@code value | name}) and tests ({@code value is name}) of Jinja2, grouped
 * by what they work on: texts, numbers, sequences, or other filters and tests. Start at {@link
 * BuiltinFilters} and {@link BuiltinTests}.
 */
@NullMarked
package dev.millrace.engine.internal.jinja.filter;

import org.jspecify.annotations.NullMarked;
