/**
 * The workspace that a command works on: a directory of this machine or a server's URL, both behind
 * {@link WorkspaceAccess}. {@link JobArtifacts} reads files in the directory of one job; only
 * {@link RemoteWorkspace} knows the HTTP client, so that a command on a directory starts without
 * it. Start at {@link WorkspaceLocator}.
 */
@NullMarked
package dev.millrace.cli.workspace;

import org.jspecify.annotations.NullMarked;
