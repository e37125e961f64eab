package dev.millrace.http.webhook;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import java.time.Instant;

/**
 * An event of a job to send to a webhook.
 *
 * @param entryNumber of the log entry that it comes from
 * @param stage that waits for approval; 0 for events of the job
 */
record WebhookEvent(long entryNumber, Instant at, Webhook.Event event, int stage) {

  /** The same for each delivery attempt. */
  String id(JobId job) {
    return EntityId.of(job) + ":" + entryNumber;
  }

  String type() {
    return event == Webhook.Event.WAITING ? "stage.waiting" : "job." + event.word();
  }

  /** Whether it is the last event of the job. */
  boolean isLast() {
    return event != Webhook.Event.WAITING;
  }
}
