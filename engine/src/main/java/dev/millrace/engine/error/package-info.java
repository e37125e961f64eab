/**
 * The exceptions of the engine. All extend {@link EngineException}; the message says what happened,
 * where, and which rule was broken. This package depends on no other package of the engine.
 */
@NullMarked
package dev.millrace.engine.error;

import org.jspecify.annotations.NullMarked;
