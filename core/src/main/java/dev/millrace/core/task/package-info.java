/**
 * The unit of work that one worker claims: its states and transition table, retry policy and
 * backoff, results and failures. A fencing token identifies the present claim, so that a late
 * answer of an earlier worker is refused. Start at {@link TaskPolicy}.
 */
@NullMarked
package dev.millrace.core.task;

import org.jspecify.annotations.NullMarked;
