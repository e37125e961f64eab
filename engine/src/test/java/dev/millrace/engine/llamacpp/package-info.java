/**
 * llama.cpp through the foreign function interface: what our results and our speed are compared
 * with. Start at {@link LlamaCpp}.
 */
@NullMarked
package dev.millrace.engine.llamacpp;

import org.jspecify.annotations.NullMarked;
