/**
 * The so1 face: jobs as an action with inputs, a log that can be followed as server-sent events,
 * and one envelope for all that is wrong. A translation only: what it shows is the job's own log.
 */
@NullMarked
package dev.millrace.server.http.so1;

import org.jspecify.annotations.NullMarked;
