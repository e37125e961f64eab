/**
 * The HTTP server of Millrace: {@link HttpApi} wires the route groups, metrics, tracing and
 * webhooks over one job store, {@link HttpService} listens, and {@link RequestExchange} takes one
 * request from its head to the end of its response. {@link ServiceContext} holds what all requests
 * share: keys, rate limits, memory budgets, the access log. Start at {@link HttpApi}, then read
 * {@link RequestExchange}.
 */
@NullMarked
package dev.millrace.http;

import org.jspecify.annotations.NullMarked;
