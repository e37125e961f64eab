package dev.millrace.http.webhook;

/**
 * What became of webhooks since the start.
 *
 * @param delivered events that a receiver took
 * @param failed requests that came to nothing, each of which was or will be tried again
 * @param givenUp events that were told for too long to a receiver that did not take them, and
 *     webhooks whose receiver said that it is gone
 * @param pending lines in memory that wait for a receiver, for their time, or are on their way
 */
public record WebhookStats(long delivered, long failed, long givenUp, int pending) {}
