/**
 * A plain reference in F64, and the random models on which the engine, the reference and llama.cpp
 * are compared.
 */
@NullMarked
package dev.millrace.engine.oracle;

import org.jspecify.annotations.NullMarked;
