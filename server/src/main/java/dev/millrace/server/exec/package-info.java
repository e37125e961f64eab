/**
 * A worker that runs a shell command for each task: input on stdin, result on stdout, log lines on
 * stderr. Every process that the command starts belongs to one process group, which is killed when
 * the task ends, the server stops or the server is killed. Start at {@link ExecWorker}.
 */
@NullMarked
package dev.millrace.server.exec;

import org.jspecify.annotations.NullMarked;
