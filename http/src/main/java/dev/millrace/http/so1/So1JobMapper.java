package dev.millrace.http.so1;

import dev.millrace.api.So1Job;
import dev.millrace.api.So1State;
import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.http.route.TruncatedText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Maps a job of the store to the record of the so1 API. */
final class So1JobMapper {
  /** How many lines of the log an answer has: the last ones. */
  static final int LINES = 1_000;

  /** Longer lines are cut; the log has them whole. */
  private static final int WIDTH = 2_000;

  private So1JobMapper() {}

  static So1Job full(JobReader store, JobView view) {
    return of(view, JobOutput.of(store, view), reasonOf(store, view), lines(store, view));
  }

  /** Without what must be read from its log or its results: for lists. */
  static So1Job brief(JobView view) {
    return of(view, null, null, List.of());
  }

  /** The job as it was when it was accepted, even if it has started since. */
  static So1Job accepted(JobView view) {
    return new So1Job(
        EntityId.of(view.header().id()).uuid(),
        So1State.PENDING,
        isPaused(view) && view.startedAt() == null,
        view.createdAt(),
        null,
        null,
        null,
        null,
        null,
        List.of(),
        SubmissionMetadata.of(view));
  }

  private static So1Job of(
      JobView view, @Nullable JsonObject output, @Nullable String reason, List<String> lines) {
    return new So1Job(
        EntityId.of(view.header().id()).uuid(),
        So1StateMapping.of(view),
        isPaused(view),
        view.createdAt(),
        startedAt(view),
        completedAt(view),
        output,
        errorOf(view),
        reason,
        lines,
        SubmissionMetadata.of(view));
  }

  private static boolean isPaused(JobView view) {
    return view.state() == JobState.PAUSED;
  }

  /** Why the job was cancelled; null if it was not, or if nobody said why. */
  static @Nullable String reasonOf(JobReader store, JobView view) {
    if (So1StateMapping.of(view) != So1State.CANCELLED) {
      return null;
    }
    LogEntry end = LogFeed.endOf(store, view);
    return end != null
            && end.fact() instanceof Fact.JobChanged(var _, Cause cause)
            && cause.comment() != null
        ? Redaction.redactSecrets(cause.comment())
        : null;
  }

  /** Why the job failed; null if it did not fail. */
  static So1Job.@Nullable ErrorDetail errorOf(JobView view) {
    if (So1StateMapping.of(view) != So1State.FAILED) {
      return null;
    }
    String message = view.error() == null ? "the job failed; its log says why" : view.error();
    return new So1Job.ErrorDetail("JOB_FAILED", Redaction.redactSecrets(message));
  }

  /** A store may show the new state of a job a moment before its log has the time. */
  private static @Nullable Instant startedAt(JobView view) {
    return view.startedAt() == null && So1StateMapping.of(view) == So1State.RUNNING
        ? view.updatedAt()
        : view.startedAt();
  }

  private static @Nullable Instant completedAt(JobView view) {
    return view.completedAt() == null && So1StateMapping.of(view).isFinal()
        ? view.updatedAt()
        : view.completedAt();
  }

  private static List<String> lines(JobReader store, JobView view) {
    long after = Math.max(0, view.lastEvent() - LINES);
    LogLineFormatter formatter = LogLineFormatter.of(view);
    List<String> lines = new ArrayList<>();
    while (after < view.lastEvent()) { // a page may be short; later entries contradict the state
      int left = (int) (view.lastEvent() - after);
      List<LogEntry> page = store.events(view.header().id(), after, left);
      page.forEach(entry -> lines.add(TruncatedText.of(formatter.of(entry), WIDTH)));
      after = page.isEmpty() ? view.lastEvent() : page.getLast().number();
    }
    return lines;
  }
}
