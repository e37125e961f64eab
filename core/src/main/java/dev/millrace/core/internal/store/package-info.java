/**
 * What every store does alike, over the port that a store implements: claims, answers, levers,
 * timeouts, notifications. Start at {@link JobRepository}, the port, and {@link JobUpdater}, the
 * only way to change a job.
 */
@NullMarked
package dev.millrace.core.internal.store;

import org.jspecify.annotations.NullMarked;
