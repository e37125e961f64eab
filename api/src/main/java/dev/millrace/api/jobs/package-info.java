/**
 * The records of requests about many jobs (a search, a bulk action), and of what shows how one
 * works: its log, the state machines. Start at {@link FoundJob}.
 */
@NullMarked
package dev.millrace.api.jobs;

import org.jspecify.annotations.NullMarked;
