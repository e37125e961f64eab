package dev.millrace.store.fs.internal.submit;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.AdoptionRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.time.LogTimes;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.EventLogIndex;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobFiles.TaskSnapshot;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes why an ended job is run again, and what the new job adopts from it, into its directory,
 * while that is assembled: copies of results, rendered tasks, and the log that counts them. Results
 * are copied one by one: there may be 200,000.
 */
final class AdoptionWriter implements AdoptionRules.EndedJob {
  /** Entries of the log that are written at once. */
  private static final int CHUNK = 10_000;

  private final JobOnDisk ended;
  private final RetryRequest request;
  private final boolean adopts;
  private final Clock clock;
  private final EventLogIndex.Pages log;
  private @Nullable AdoptedResults results;
  private @Nullable JobFold adopted;

  /**
   * @param adopts whether anything is adopted; else there is only a log with the request's comment
   */
  AdoptionWriter(JobOnDisk ended, RetryRequest request, boolean adopts, Clock clock) {
    this.ended = ended;
    this.request = request;
    this.adopts = adopts;
    this.clock = clock;
    this.log = ended.log().pages(ended.at());
  }

  /** The new job with what it adopts; null before {@link #write}. */
  @Nullable JobFold adopted() {
    return adopted;
  }

  /** Fills the directory of a job whose other files were just written. */
  void write(JobDirectory at, UnsyncedChanges unsynced) throws IOException {
    JobId id = new JobId(at.dir().getFileName().toString()); // it may still get another one
    JobOnDisk job =
        JobOnDisk.read(
            new JobOnDisk.Location(id, at, JobState.PENDING),
            TransitionListener.IGNORED,
            LogTimes.AS_LOGGED,
            null,
            null);
    results = new AdoptedResults(at, job.files(), unsynced);
    JobUpdate.TemplateResolver templates = job.files().templateResolver(at, job.fold(), unsynced);
    JobUpdate update =
        new JobUpdate(
            job.fold(),
            clock.instant().truncatedTo(ChronoUnit.MICROS),
            stage -> {
              flush(); // templates are rendered from the copies
              return templates.resolve(stage);
            });
    try {
      AdoptionRules.note(update, request);
      if (adopts) {
        AdoptionRules.adopt(update, this);
      }
      flush();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    EventLogIndex index = job.log().copy();
    EventLog.append(at, job.unwritten(), index, unsynced);
    List<LogEntry> entries = update.entries();
    for (int from = 0; from < entries.size(); from += CHUNK) {
      int to = Math.min(entries.size(), from + CHUNK);
      EventLog.append(at, entries.subList(from, to), index, unsynced);
    }
    adopted = job.fold();
  }

  private void flush() {
    try {
      results().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private AdoptedResults results() {
    return Objects.requireNonNull(results, "only while it writes");
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

  @Override
  public Detail.@Nullable Completed copyResult(StageFold stage, int task) {
    try {
      TaskResult result = result(stage, task);
      return result == null
          ? null
          : results().add(stage, task, stage.task(task).attempts() + 1, result);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A result that is missing or damaged is not adopted: its task runs again. */
  private @Nullable TaskResult result(StageFold stage, int task) throws IOException {
    try {
      return ended.files().result(ended.at(), TaskSnapshot.of(stage, task));
    } catch (JsonException | IllegalArgumentException | JobFiles.MalformedJobException e) {
      return null;
    } catch (NoSuchFileException e) {
      if (ended.at().disk().kind(ended.at().dir()) != Disk.Kind.DIRECTORY) {
        throw e; // the whole job was deleted
      }
      return null;
    }
  }

  @Override
  public @Nullable JsonObject frozenTerms(int stage, int task) {
    TaskFold.Freeze freeze = ended.fold().stage(stage).task(task).freeze();
    try {
      return freeze == null ? null : log.frozenTerms(freeze.number());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
