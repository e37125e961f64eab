package dev.millrace.bench.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.trace.ReplayReport.ReplayedJob;
import dev.millrace.core.Flow;
import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplayReportTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  /** A job of 3 + 5 tokens that was submitted and claimed at these seconds. */
  private static ReplayedJob outcome(Priority priority, int created, int started, int tokens) {
    JobId id = Work.generateId();
    Instant claimed = START.plusSeconds(started);
    JobView view =
        new JobView(
            JobHeader.of(id, JobSpec.prompt("generate", "p")),
            JobState.COMPLETED,
            new Timestamps(
                START.plusSeconds(created),
                claimed.plusSeconds(1),
                claimed,
                claimed.plusSeconds(1)),
            null,
            1,
            List.of());
    JsonObject receipt =
        JsonObject.create()
            .put("prompt_tokens", 3L)
            .put("completion_tokens", (long) tokens)
            .put("timings", JsonObject.create().put("wait_ms", 250.0));
    RequestTrace.Arrival asked = new RequestTrace.Arrival(Duration.ZERO, 3, 5);
    return new ReplayedJob(id, priority, asked, Flow.Status.DONE, view, receipt);
  }

  private static ReplayReport report(ReplayedJob... outcomes) {
    return new ReplayReport(List.of(outcomes), List.of(), 1_000_000_000, Duration.ZERO);
  }

  @Test
  void aJobThatWaitsWhileALaterOneIsClaimedIsOvertaken() {
    ReplayedJob high = outcome(Priority.HIGH, 0, 10, 5);
    ReplayedJob low = outcome(Priority.LOW, 0, 5, 5);

    assertThat(report(high, low).overtaken()).containsExactly(high);
  }

  @Test
  void aJobAfterJobsOfHigherPriorityIsNotOvertaken() {
    ReplayedJob low = outcome(Priority.LOW, 0, 10, 5);
    ReplayedJob high = outcome(Priority.HIGH, 2, 5, 5);
    ReplayedJob before = outcome(Priority.VERY_LOW, -9, -8, 5);

    assertThat(report(low, high, before).overtaken()).isEmpty();
  }

  @Test
  void aJobWithFewerTokensThanRequestedIsLost() {
    ReplayedJob torn = outcome(Priority.HIGH, 0, 1, 4);

    assertThat(report(torn, outcome(Priority.HIGH, 0, 1, 5)).lost()).containsExactly(torn);
  }

  @Test
  void queueTimeEndsAtASlotOfTheEngine() {
    assertThat(report(outcome(Priority.LOW, 0, 2, 5)).queued(Priority.LOW))
        .containsExactly(2_250_000_000L);
  }
}
