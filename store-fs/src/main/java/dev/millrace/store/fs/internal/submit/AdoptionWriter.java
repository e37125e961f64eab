package dev.millrace.store.fs.internal.submit;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.AdoptionRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobFiles.TaskSnapshot;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes what a new job adopts from an ended one into its directory, while that is assembled: copies
 * of results, rendered tasks, and the log that counts them. Results are copied one by one: there may
 * be 200,000.
 */
final class AdoptionWriter implements AdoptionRules.EndedJob {
  private record At(int stage, int task) {}

  private final JobOnDisk ended;
  private final JobOnDisk job;
  private final UnsyncedChanges unsynced;
  private final AdoptedResults results;
  private final Map<At, JsonObject> terms = new HashMap<>();
  private final Map<Integer, Cause> approvals = new HashMap<>();

  private AdoptionWriter(JobOnDisk ended, JobOnDisk job, UnsyncedChanges unsynced) {
    this.ended = ended;
    this.job = job;
    this.unsynced = unsynced;
    this.results = new AdoptedResults(job.at(), job.files(), unsynced);
    for (LogEntry entry : ended.log().entries()) {
      if (entry.fact() instanceof Fact.TermsFrozen(int stage, int task, JsonObject frozen)) {
        terms.put(new At(stage, task), frozen); // later terms replace earlier ones
      } else if (entry.fact() instanceof Fact.StageChanged(int stage, var event, var cause, var _)
          && event == StageEvent.APPROVE) {
        approvals.put(stage, cause);
      }
    }
  }

  /**
   * Fills the directory of a job that was just written.
   *
   * @return the job's state with what it adopts
   */
  static JobFold write(JobOnDisk ended, JobDirectory at, Instant now, UnsyncedChanges unsynced)
      throws IOException {
    JobId id = new JobId(at.dir().getFileName().toString()); // it may still get another one
    JobOnDisk job =
        JobOnDisk.read(
            new JobOnDisk.Location(id, at, JobState.PENDING),
            TransitionListener.IGNORED,
            null,
            null);
    try {
      new AdoptionWriter(ended, job, unsynced).write(now);
      return job.fold();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void write(Instant now) throws IOException {
    JobUpdate.TemplateResolver templates =
        job.files().templateResolver(job.at(), job.fold(), unsynced);
    JobUpdate update =
        new JobUpdate(
            job.fold(),
            now,
            stage -> {
              flush(); // templates are rendered from the copies
              return templates.resolve(stage);
            });
    AdoptionRules.adopt(update, this);
    results.flush();
    List<LogEntry> entries = new ArrayList<>(job.unwritten());
    entries.addAll(update.entries());
    EventLog.append(job.at(), entries, unsynced);
  }

  private void flush() {
    try {
      results.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public JobId id() {
    return ended.id();
  }

  @Override
  public JobFold fold() {
    return ended.fold();
  }

  @Override
  public boolean isGiven(StageFold stage, int task) {
    try {
      return ended.files().isGiven(ended.at(), TaskSnapshot.of(stage, task));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A result that is not what the log says cannot be used: its task runs again. */
  @Override
  public Detail.@Nullable Completed copyResult(StageFold stage, int task) {
    try {
      TaskResult result;
      try {
        result = ended.files().result(ended.at(), TaskSnapshot.of(stage, task));
      } catch (JsonException | IllegalArgumentException e) {
        return null;
      }
      return result == null
          ? null
          : results.add(stage, task, stage.task(task).attempts() + 1, result);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public @Nullable JsonObject frozenTerms(int stage, int task) {
    return terms.get(new At(stage, task));
  }

  @Override
  public @Nullable Cause approval(int stage) {
    return approvals.get(stage);
  }
}
