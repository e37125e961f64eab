/**
 * Finds nodes that return wrong results. Of a chosen sequence, the origin and all nodes record
 * hashes of the hidden states; when it ends, layers are computed again (replayed) by another node
 * or here, and compared. Start at {@link Auditor}.
 */
@NullMarked
package dev.millrace.cluster.internal.audit;

import org.jspecify.annotations.NullMarked;
