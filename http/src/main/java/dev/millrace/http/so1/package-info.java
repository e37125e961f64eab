/**
 * The so1 API below {@code /api}: a job is an action with inputs. The log of a job can be followed
 * as server-sent events: {@link LogHub} has one {@link LogFeed} for each followed job, and each
 * connection has an {@link EventStreamSender}. This package only translates; all state is in the
 * store. Start at {@link So1RouteGroup}.
 */
@NullMarked
package dev.millrace.http.so1;

import org.jspecify.annotations.NullMarked;
