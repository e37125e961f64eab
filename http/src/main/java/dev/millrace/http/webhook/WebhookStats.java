package dev.millrace.http.webhook;

/**
 * Counts of webhook deliveries since the start.
 *
 * @param delivered events that a receiver accepted
 * @param failed requests that failed; each is retried
 * @param givenUp events that no receiver accepted in time, and webhooks whose receiver answered
 *     410 (Gone)
 * @param pending webhooks in memory that wait or are in flight
 */
public record WebhookStats(long delivered, long failed, long givenUp, int pending) {}
