/**
 * The path of a batch through a model whose layers may be on several nodes. A pipe is the plan that
 * says which node has which layers; the origin has the embedding and the head; a passage is one
 * stay of a sequence in a pipe, with its keys and values; a step is one pass of a sequence through
 * the transition table at one node, and {@link NextComputation} says what the step computes next.
 * Start at {@link PipeProcessor}, then {@link PipeTransitionTable}.
 */
@NullMarked
package dev.millrace.engine.internal.pipe;

import org.jspecify.annotations.NullMarked;
