/**
 * What a server's log says of jobs: a line when one begins and a line when it ends, whichever server
 * runs its tasks. Start at {@link dev.millrace.server.joblog.JobLog}.
 */
@NullMarked
package dev.millrace.server.joblog;

import org.jspecify.annotations.NullMarked;
