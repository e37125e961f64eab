/**
 * How jobs, tasks, states, receipts and queue positions are shown, as text for people and as JSON
 * for programs. Used by every command that shows a job. Start at {@link JobJson}.
 */
@NullMarked
package dev.millrace.cli.format;

import org.jspecify.annotations.NullMarked;
