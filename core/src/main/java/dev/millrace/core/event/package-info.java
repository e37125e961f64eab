/**
 * The log of a job: numbered entries, each with one fact (something that happened) and its cause
 * (who did it, and why). Entries are written as lines of JSON and shown as plain text. Start at
 * {@link LogEntry}.
 */
@NullMarked
package dev.millrace.core.event;

import org.jspecify.annotations.NullMarked;
