/**
 * How jobs, tasks, states, receipts and queue positions are shown, as text for people and as JSON
 * for programs; used by every command that shows a job. {@link StateNames} also parses the states
 * that users type, and {@link TaskJson} reads the tasks that it prints page by page. Start at
 * {@link JobJson}.
 */
@NullMarked
package dev.millrace.cli.format;

import org.jspecify.annotations.NullMarked;
