/**
 * Runs the tasks of a job store, without HTTP: a {@link dev.millrace.server.Server} claims tasks,
 * hands each to the {@link dev.millrace.server.Worker} of its type on a thread of its own, and
 * commits the {@link dev.millrace.server.TaskOutcome}. It knows the store's contract, never a
 * concrete store. A slot is the right to run one task; a group is a set of workers that share
 * slots; an attempt is one run of a task from its claim to the store's answer. A {@link
 * dev.millrace.server.StopSignal} is the only way in which a running task is told to stop. Start at
 * {@link Server}; to write a worker, read {@link Worker} and {@link TaskContext}.
 */
@NullMarked
package dev.millrace.server;

import org.jspecify.annotations.NullMarked;
