/**
 * The scheduler of the batch: continuous batching of all sequences of a model, turn by turn. A
 * wheel serves one pipe: it admits sequences, gives them pages of the KV cache, plans batches,
 * preempts and restarts sequences, and ends them; a {@link Detokenizer} turns their tokens into
 * text, and an {@link AuditHook} may withhold results until they are audited. The batch loop drives
 * the wheels of all pipes on one thread. Start at {@link BatchLoop}, then {@link Wheel} and {@link
 * PipeAdmission}.
 */
@NullMarked
package dev.millrace.engine.internal.wheel;

import org.jspecify.annotations.NullMarked;
