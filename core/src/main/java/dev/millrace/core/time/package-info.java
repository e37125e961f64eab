/**
 * Wall time and monotonic time. Wall time is for logs and for people; only monotonic time measures
 * how long something lasts. Start at {@link ProcessTimeline}.
 */
@NullMarked
package dev.millrace.core.time;

import org.jspecify.annotations.NullMarked;
