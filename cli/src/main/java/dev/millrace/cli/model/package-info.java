/**
 * Model files: which file {@code --model} means, where models are found, and how an engine is
 * opened for one; also {@code millrace models}. {@link PipeModel} is a model whose layers are at
 * other nodes. Start at {@link ModelChoice}.
 */
@NullMarked
package dev.millrace.cli.model;

import org.jspecify.annotations.NullMarked;
