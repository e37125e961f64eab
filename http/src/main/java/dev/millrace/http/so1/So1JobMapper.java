package dev.millrace.http.so1;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.http.job.IsoTime;
import dev.millrace.http.route.TruncatedText;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job as so1 shows it. */
final class So1JobMapper {
  /** Most lines that are shown with a job: the last ones. All are in its log. */
  static final int LINES = 1_000;

  /** Longest such line; whole ones are in the log. */
  private static final int WIDTH = 2_000;

  private So1JobMapper() {}

  /** All of it. */
  static JsonObject full(JobReader store, JobView view) {
    return of(view, JobOutput.of(store, view), lines(store, view));
  }

  /** Without output and log, which may be large, for a list of many. */
  static JsonObject brief(JobView view) {
    return of(view, null, List.of());
  }

  private static JsonObject of(JobView view, @Nullable JsonObject output, List<String> lines) {
    return JsonObject.create()
        .put("id", EntityId.of(view.header().id()).toString())
        .put("state", So1StateMapping.of(view).word())
        .put("createdAt", view.createdAt().toString())
        .putIfPresent("startedAt", IsoTime.format(startedAt(view)))
        .putIfPresent("completedAt", IsoTime.format(completedAt(view)))
        .putIfPresent("output", output)
        .putIfPresent("error", errorOf(view))
        .put("logs", lines)
        .put("metadata", SubmissionMetadata.of(view).toJson());
  }

  /** Why the job failed; null if it did not. */
  static @Nullable JsonObject errorOf(JobView view) {
    if (So1StateMapping.of(view) != So1StateMapping.FAILED) {
      return null;
    }
    String message = view.error() == null ? "the job failed; its log says why" : view.error();
    return JsonObject.create()
        .put("code", "JOB_FAILED")
        .put("message", Redaction.redactSecrets(message));
  }

  /** A store may know of a job's state a moment before its log says when. */
  private static @Nullable Instant startedAt(JobView view) {
    return view.startedAt() == null && So1StateMapping.of(view) == So1StateMapping.RUNNING
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
    LogLineFormatter wording = LogLineFormatter.of(view);
    return store.events(view.header().id(), after, LINES).stream()
        .takeWhile(entry -> entry.number() <= view.lastEvent()) // what the state goes by
        .map(entry -> TruncatedText.of(wording.of(entry), WIDTH))
        .toList();
  }
}
