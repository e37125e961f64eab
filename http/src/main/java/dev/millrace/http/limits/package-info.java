/**
 * How much one client, and all clients together, may ask of the server: sizes and timeouts ({@link
 * HttpLimits}), a token bucket for each caller ({@link RateLimiter}), how many requests, streams and
 * long polls are under way at once ({@link RequestSlots}), and the memory that large requests and
 * responses share ({@link RequestMemoryBudget}). Start at {@link HttpLimits}.
 */
@NullMarked
package dev.millrace.http.limits;

import org.jspecify.annotations.NullMarked;
