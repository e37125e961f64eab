/**
 * A plain reference implementation in F64, and the random models on which the engine, the reference
 * and llama.cpp are compared. Start at {@link ReferenceModel} and {@link RandomModels}.
 */
@NullMarked
package dev.millrace.engine.oracle;

import org.jspecify.annotations.NullMarked;
