/** Grammars and JSON schemas as masks over a vocabulary. */
@NullMarked
package dev.millrace.engine.grammar;

import org.jspecify.annotations.NullMarked;
