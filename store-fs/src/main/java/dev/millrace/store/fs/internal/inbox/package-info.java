/**
 * How the owner learns of changes by other processes: it watches and scans the workspace for new
 * jobs, and carries out requests that others leave as files in the inbox. Start at {@link
 * WorkspaceScanner}.
 */
@NullMarked
package dev.millrace.store.fs.internal.inbox;

import org.jspecify.annotations.NullMarked;
