package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.state.Actor;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transition that a user requested, {@code op.json}: written into the job before the rename that
 * makes it. It happened if and only if the directory is in {@code to}.
 */
public record PendingTransition(
    String id,
    JobEvent event,
    JobState to,
    Instant at,
    @Nullable String who,
    @Nullable String comment) {
  static final String FILE = "op.json";

  /** The transition that entries record; null if it is none of a user's. */
  public static @Nullable PendingTransition of(List<LogEntry> entries, JobFold fold) {
    if (entries.isEmpty()
        || !(entries.getFirst().fact() instanceof Fact.JobChanged(JobEvent event, Cause cause))
        || cause.op() == null) {
      return null;
    }
    JobState to =
        switch (event) {
          case PAUSE -> JobState.PAUSED;
          case ABORT -> JobState.ABORTED;
          // a job that had started is running again
          default -> fold.startedAt() == null ? JobState.PENDING : JobState.IN_PROGRESS;
        };
    return new PendingTransition(
        cause.op(), event, to, entries.getFirst().at(), cause.who(), cause.comment());
  }

  public Cause cause() {
    return new Cause(Actor.USER, who, comment, id);
  }

  public void write(JobDirectory job, UnsyncedChanges unsynced) throws IOException {
    JsonObject out =
        JsonObject.create()
            .put("op", id)
            .put("event", event.name())
            .put("to", to.name())
            .put("at", at.toString())
            .putIfPresent("who", who)
            .putIfPresent("comment", comment);
    // The previous one is in the log by now, so it may be lost with this one.
    JobFiles.prepare(job, FILE, StrictUtf8.bytes(Json.pretty(out) + "\n"), new UnsyncedChanges());
    JobFiles.publish(job, FILE);
    unsynced.addFile(job.file(FILE)).addDirectory(job.dir());
  }

  /** The job's pending transition; null if there is none or it is torn (then it did not happen). */
  static @Nullable PendingTransition read(JobDirectory job) throws IOException {
    Path file = job.file(FILE);
    try {
      JsonObject in = Json.object(StrictUtf8.of(file, job.disk().read(file, 1_000_000)));
      return new PendingTransition(
          in.string("op"),
          JobEvent.valueOf(in.string("event")),
          JobState.valueOf(in.string("to")),
          Instant.parse(in.string("at")),
          in.string("who", null),
          in.string("comment", null));
    } catch (NoSuchFileException
        | JsonException
        | IllegalArgumentException
        | DateTimeException
        | Disk.NotRegularException
        | Disk.FileTooLargeException
        | JobFiles.MalformedJobException e) {
      return null;
    }
  }
}
