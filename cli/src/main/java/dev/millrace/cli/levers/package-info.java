/**
 * The levers, commands that change jobs. Pause, resume, abort and approve are rows of {@link
 * LeverTable} and report the outcome for each job, a refusal in words of commands ({@link
 * LeverRefusal}); retry submits a finished job again as a new one, and prune deletes old jobs. Start
 * at {@link LeverCommand}.
 */
@NullMarked
package dev.millrace.cli.levers;

import org.jspecify.annotations.NullMarked;
