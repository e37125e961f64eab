package dev.millrace.http.webhook;

import dev.millrace.core.job.JobId;
import dev.millrace.core.time.Moment;
import dev.millrace.core.time.ProcessTimeline;
import dev.millrace.http.webhook.WebhookSettings.RetrySchedule;
import java.time.Duration;
import java.time.Instant;

/**
 * When deliveries are tried again, in steady time. Notes hold wall times; setting the wall clock
 * neither gives up an event nor delays one for long.
 */
record RetryTimes(ProcessTimeline timeline, RetrySchedule schedule) {

  Instant now() {
    return timeline.now().steady();
  }

  /** When to try again what failed last; now, if nothing did. */
  Instant due(DeliveryProgress progress) {
    if (progress.notBefore() == null) {
      return now();
    }
    Duration delay = schedule.after(progress.failures());
    return timeline.submitted(progress.notBefore().minus(delay)).plus(delay);
  }

  /** When a job was created, as its id says. */
  Instant created(JobId job) {
    return timeline.submitted(Instant.EPOCH.plusSeconds(job.micros() / 1_000_000));
  }

  /** Whether an event that failed first at that wall time is to be given up. */
  boolean isTooLate(Instant firstFailure, Moment now) {
    Duration failing = Duration.between(timeline.submitted(firstFailure), now.steady());
    return failing.compareTo(schedule.giveUpAfter()) >= 0;
  }
}
