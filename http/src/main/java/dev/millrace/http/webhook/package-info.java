/**
 * Webhooks: sends the events of a job to its receivers, at least once and in order, retries
 * failures for a day, and calls only addresses that are allowed. The notes of the store are the
 * durable queue; {@link DeliveryQueue} holds the bounded part of it that is in memory. Start at
 * {@link WebhookService}, then read {@link WebhookScheduler}.
 */
@NullMarked
package dev.millrace.http.webhook;

import org.jspecify.annotations.NullMarked;
