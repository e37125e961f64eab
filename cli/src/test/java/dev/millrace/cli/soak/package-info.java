/**
 * A soak of the whole program: two servers on one workspace, clients, commands and workers, in
 * processes of their own, while processes are killed and stopped, the wall clock is stepped and the
 * disk is full. {@link dev.millrace.cli.soak.SoakIT} runs it, {@link
 * dev.millrace.cli.soak.SoakChecker} compares the history with what is on disk at the end.
 */
@NullMarked
package dev.millrace.cli.soak;

import org.jspecify.annotations.NullMarked;
