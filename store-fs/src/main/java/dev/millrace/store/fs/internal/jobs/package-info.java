/**
 * The jobs in the owner's memory and the only way to change them: lock the job, let a rule record
 * entries, append these to the log, sync, then notify. Also leases, recovery after a crash, and
 * changes to ended jobs, which are not in memory ({@link EndedJobWriter}). Start at {@link
 * JobWriter}.
 */
@NullMarked
package dev.millrace.store.fs.internal.jobs;

import org.jspecify.annotations.NullMarked;
