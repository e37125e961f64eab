/**
 * What the server does now, for pages that show it: the live state as one feed for all who watch,
 * the text of a task as it comes, and the throughput of the last hour. Start at {@link
 * dev.millrace.http.live.LiveRouteGroup}.
 */
@NullMarked
package dev.millrace.http.live;

import org.jspecify.annotations.NullMarked;
