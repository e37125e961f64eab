/**
 * Finds nodes that return wrong results. {@link OriginAuditRecorder} chooses sequences and records
 * what the origin sends and receives; the nodes record hashes with the engine's {@code
 * RowHashRecorder}. When a sequence ends, the {@link Auditor} has its layers computed again
 * (replayed) by another node or here, and compares. Start at {@link Auditor}.
 */
@NullMarked
package dev.millrace.cluster.internal.audit;

import org.jspecify.annotations.NullMarked;
