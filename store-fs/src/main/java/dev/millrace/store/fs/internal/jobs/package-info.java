/**
 * The jobs in the owner's memory and the only way to change them: lock the job, let a rule record
 * entries, append these to the log, sync, then notify. Also recovery after a crash, leases, and
 * jobs that have ended. Start at {@link JobWriter}.
 */
@NullMarked
package dev.millrace.store.fs.internal.jobs;

import org.jspecify.annotations.NullMarked;
