/**
 * What a request may make the engine compute besides its tokens: {@link CompileBudget} counts it.
 */
@NullMarked
package dev.millrace.engine.internal.budget;

import org.jspecify.annotations.NullMarked;
