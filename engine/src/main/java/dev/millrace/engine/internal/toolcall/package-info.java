/**
 * How tool calls are written and read. A {@link
 * dev.millrace.engine.internal.toolcall.CallSyntax} is the data of one format: the {@link
 * dev.millrace.engine.internal.toolcall.CallOpening}s that its reader looks for, and the {@link
 * dev.millrace.engine.internal.toolcall.CallLayout}s of its grammar; {@link
 * dev.millrace.engine.internal.toolcall.CallSyntaxCatalog} has all of them. {@link
 * dev.millrace.engine.internal.toolcall.CallFinder} reads, character by character.
 */
@NullMarked
package dev.millrace.engine.internal.toolcall;

import org.jspecify.annotations.NullMarked;
