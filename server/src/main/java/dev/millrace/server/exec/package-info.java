/**
 * A user's program as a worker: input on stdin, result on stdout, every process that it starts in
 * one group that ends with the task, whatever ends it.
 */
@NullMarked
package dev.millrace.server.exec;

import org.jspecify.annotations.NullMarked;
