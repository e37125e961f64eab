/**
 * The files of one job: its metadata, event log, inputs, results, receipts and the journal of its
 * output tokens, for plain jobs (one prompt) and for staged jobs. Also how a new job is written and
 * how a job is read back from its directory. Start at {@link JobFiles}.
 */
@NullMarked
package dev.millrace.store.fs.internal.files;

import org.jspecify.annotations.NullMarked;
