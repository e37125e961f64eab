/**
 * Language models as workers: tasks of type {@code generate} produce text, tasks of type {@code
 * embed} produce vectors. This package is the entry: settings, statistics, and the verification
 * that repeats a finished task and compares the bytes. Requests are read in {@code parameters},
 * models are loaded and lent in {@code model} and {@code shelf}, and one attempt at a task is in
 * {@code run}. Start at {@link Inference}.
 */
@NullMarked
package dev.millrace.server.infer;

import org.jspecify.annotations.NullMarked;
