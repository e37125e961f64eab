/**
 * What a server does at this moment, as its API shows it: the live state of jobs and tasks, the text
 * of a task as it comes, and the throughput of the last hour. Start at {@link
 * dev.millrace.api.live.LiveState}.
 */
@NullMarked
package dev.millrace.api.live;

import org.jspecify.annotations.NullMarked;
