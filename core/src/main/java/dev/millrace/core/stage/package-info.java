/**
 * One step of a job: its specification, the specifications of its tasks, how many failures it
 * tolerates, its states and its transition table. Start at {@link StageSpec}.
 */
@NullMarked
package dev.millrace.core.stage;

import org.jspecify.annotations.NullMarked;
