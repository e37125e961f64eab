/**
 * What a template can do with values, by Python's rules: arithmetic, attributes, items and slices,
 * the methods of strings, dicts and lists, and number, text and date formats. Start at {@link
 * MemberAccess} and {@link PyArithmetic}.
 */
@NullMarked
package dev.millrace.engine.internal.jinja.operation;

import org.jspecify.annotations.NullMarked;
