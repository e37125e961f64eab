/**
 * llama.cpp through the foreign function interface: what our results and our speed are compared
 * with.
 */
@NullMarked
package dev.millrace.engine.peer;

import org.jspecify.annotations.NullMarked;
