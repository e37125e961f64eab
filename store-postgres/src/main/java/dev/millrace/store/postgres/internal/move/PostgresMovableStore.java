package dev.millrace.store.postgres.internal.move;

import dev.millrace.core.internal.lease.JobClaimKey;
import dev.millrace.core.internal.move.RunningTasks;
import dev.millrace.core.internal.store.JobUpdater;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.move.ArrivalNotes;
import dev.millrace.core.move.JobAssembly;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.MoveDestination;
import dev.millrace.core.move.StoreIdentity;
import dev.millrace.core.move.TakenOutJob;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.jobs.PostgresJob;
import dev.millrace.store.postgres.internal.jobs.PostgresRepository;
import dev.millrace.store.postgres.internal.rows.JobRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A database that jobs move out of or into. A job that was taken out has its row in another table;
 * one that comes in has rows that no id leads to. Each step is one transaction.
 */
public final class PostgresMovableStore implements MovableStore {
  private final Database database;
  private final PostgresRepository repository;
  private final JobUpdater<PostgresJob> updater;
  private final MovedJobRows moved;
  private final Runnable release;

  /**
   * @param release ends the membership of the database
   */
  public PostgresMovableStore(
      PostgresRepository repository, JobUpdater<PostgresJob> updater, Runnable release) {
    this.database = repository.database();
    this.repository = repository;
    this.updater = updater;
    this.moved = new MovedJobRows(database);
    this.release = release;
  }

  @Override
  public String name() {
    return database.settings().toString();
  }

  @Override
  public String identity() {
    return StoreIdentity.ofShared(notes());
  }

  @Override
  public void requireOwned() {
    repository.requireIntact();
  }

  @Override
  public NoteStore notes() {
    return repository.notes();
  }

  @Override
  public Map<JobState, Integer> counts() {
    return repository.reader().counts();
  }

  @Override
  public List<JobId> jobs(@Nullable JobId after, int limit) {
    return repository.reader().list(Query.all().oldest(limit).beyond(after));
  }

  @Override
  public void forEachTakenOut(Consumer<TakenOutJob> jobs) {
    moved.forEach(jobs);
  }

  @Override
  public @Nullable TakenOutJob takeOut(JobId id, MoveDestination to) {
    String reason = "the job moves to " + to.name();
    List<ClaimKey> released = new ArrayList<>();
    Optional<JobState> there =
        updater.step(
            id,
            (job, update) -> {
              released.clear(); // the step may be repeated
              if (!job.fold().state().isFinal()) {
                released.addAll(RunningTasks.release(update, reason));
              }
              return job.fold().state();
            });
    released.forEach(claim -> repository.leases().end(new JobClaimKey(id, claim)));
    if (there.isEmpty()) {
      return null;
    }
    String ticket = UUID.randomUUID().toString();
    boolean[] taken = {false};
    updater.takeOut(
        id,
        job -> {
          requireOwned();
          taken[0] |= moved.takeOut(job, ticket, to);
        });
    return taken[0] ? new TakenOutJob(id, ticket, to, false) : null;
  }

  @Override
  public void read(TakenOutJob job, Consumer<JobRecord> records) {
    JobId id = job.id();
    JobRow row = moved.row(id).orElseThrow(() -> gone(id));
    try {
      PostgresJobExporter.write(database, repository.rows(), row, records);
    } catch (IllegalStateException e) {
      throw new JobException("cannot read job " + id + ": " + e.getMessage(), e);
    }
    notes()
        .readNote(NoteStore.WEBHOOKS, id.value())
        .ifPresent(text -> records.accept(new JobRecord.Note(NoteStore.WEBHOOKS, text)));
  }

  private StoreException gone(JobId id) {
    return new StoreException("job " + id + " of " + name() + " is not on its way any more");
  }

  @Override
  public void putBack(TakenOutJob job) {
    if (!moved.putBack(job.id())) {
      throw gone(job.id());
    }
  }

  @Override
  public void markMoved(TakenOutJob job) {
    moved.markMoved(job.id());
    notes().deleteNote(NoteStore.WEBHOOKS, job.id().value()); // else others would deliver it, too
  }

  @Override
  public void deleteMoved(TakenOutJob job) {
    moved.delete(job.id());
  }

  @Override
  public Arrival arrival(TakenOutJob job, String from) {
    if (ArrivalNotes.isThere(notes(), job)) {
      return Arrival.ARRIVED; // the note came with the job
    }
    Optional<TakenOutJob> left = moved.find(job.id());
    if (left.isPresent()) {
      boolean comesBack = left.get().arrived() || left.get().to().identity().equals(from);
      return comesBack ? Arrival.ABSENT : Arrival.OTHER;
    }
    return repository.reader().state(job.id()).isPresent() ? Arrival.OTHER : Arrival.ABSENT;
  }

  @Override
  public JobAssembly assemble(TakenOutJob job, String from) {
    return PostgresJobAssembly.start(repository, job, from);
  }

  @Override
  public List<JobId> arrivedFrom(String identity) {
    return ArrivalNotes.from(notes(), identity);
  }

  @Override
  public void forgetArrival(JobId id) {
    notes().deleteNote(ArrivalNotes.COLLECTION, id.value());
  }

  @Override
  public void close() {
    release.run();
  }
}
