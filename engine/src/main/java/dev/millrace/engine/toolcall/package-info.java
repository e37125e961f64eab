/**
 * Tool calls: how families of models write them, grammars that keep them valid, and a parser that
 * separates thoughts, text and calls as the output arrives. Start at {@link ToolCallFormat}.
 */
@NullMarked
package dev.millrace.engine.toolcall;

import org.jspecify.annotations.NullMarked;
