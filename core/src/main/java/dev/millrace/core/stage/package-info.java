/**
 * One step of a job: its specification, the specifications of its tasks, its states and its
 * transition table. {@link StagePolicy} holds the settings of a stage: its gate, how many failures
 * it tolerates, and the limits of its tasks. Start at {@link StageSpec}.
 */
@NullMarked
package dev.millrace.core.stage;

import org.jspecify.annotations.NullMarked;
