/**
 * The levers, commands that change jobs: pause, resume, abort, approve, retry and prune. A lever
 * asks the store for a transition and reports the outcome for each job. Start at {@link
 * LeverCommand}.
 */
@NullMarked
package dev.millrace.cli.levers;

import org.jspecify.annotations.NullMarked;
