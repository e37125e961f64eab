package dev.millrace.http.webhook;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import java.time.Instant;

/**
 * Something to tell.
 *
 * @param number of the entry in the job's log that says so
 * @param stage the one that waits; 0 where it is about the job
 */
record WebhookEvent(long entryNumber, Instant at, Webhook.Event event, int stage) {

  /** The same however often it is told. */
  String id(JobId job) {
    return EntityId.of(job) + ":" + entryNumber;
  }

  String type() {
    return event == Webhook.Event.WAITING ? "stage.waiting" : "job." + event.word();
  }

  /** Whether nothing can follow it. */
  boolean isLast() {
    return event != Webhook.Event.WAITING;
  }
}
