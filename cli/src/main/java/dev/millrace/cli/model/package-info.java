/**
 * Model files: which file {@code --model} means, and how an engine is opened for it; also {@code
 * millrace models}. {@link ModelCatalog} gives every model of this machine its name. {@link
 * PipeModel} is a model whose layers are at other nodes. Start at {@link ModelChoice}.
 */
@NullMarked
package dev.millrace.cli.model;

import org.jspecify.annotations.NullMarked;
