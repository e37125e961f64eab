package dev.millrace.core.internal.store;

import dev.millrace.core.event.Cause;
import dev.millrace.core.internal.concurrent.StoreFence;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.WorkListener;
import dev.millrace.core.store.WorkListener.Answer;
import dev.millrace.core.store.health.StoreHealth;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A store over a {@link JobRepository}: everything that all stores do alike. A store adds how new
 * jobs come in, and what is special about it. Thread-safe.
 *
 * @param <J> a job as its repository loads it
 */
public abstract class RepositoryJobStore<J extends StoredJob>
    implements JobStore, ForwardingReader {
  private final JobRepository<J> repository;
  private final JobUpdater<J> updater;
  private final LeverActions<J> levers;
  private final Claimer<J> claimer;
  private final WorkerAnswers<J> answers;
  private final QuarantinedJobs quarantined;
  private final RandomGenerator random;
  private final WorkListeners listeners = new WorkListeners();
  private final StoreFence fence;

  /**
   * @param random for the jitter of backoffs
   * @param fence refuses what would write after {@link #close}
   */
  protected RepositoryJobStore(
      JobRepository<J> repository, RandomGenerator random, StoreFence fence) {
    this.repository = repository;
    this.random = random;
    this.fence = fence;
    this.quarantined = new QuarantinedJobs(repository);
    this.updater = new JobUpdater<>(repository, fence, quarantined);
    this.levers = new LeverActions<>(repository, updater);
    this.claimer = new Claimer<>(repository, updater, quarantined);
    this.answers = new WorkerAnswers<>(repository, updater, claimer, random);
  }

  /** Changes jobs. */
  protected final JobUpdater<J> updater() {
    return updater;
  }

  /** Whether claiming skipped a job, since the last call, that may be readable later. */
  protected final boolean takeTroubled() {
    return claimer.takeTroubled();
  }

  /** Lets calls in until {@link #close}; a store's own ways to write go through it too. */
  protected final StoreFence fence() {
    return fence;
  }

  @Override
  public JobReader reader() {
    return repository.reader();
  }

  @Override
  public Outcome apply(JobId id, Lever lever, Cause cause) {
    return fence.call(() -> levers.apply(id, lever, cause));
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    return fence.call(() -> levers.prune(before, states));
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    return fence.call(() -> listeners.claimed(claimer.claim(request)));
  }

  @Override
  public final Optional<Claim> findClaim(JobId id, int stage, int task) {
    return fence.call(() -> answers.find(id, stage, task));
  }

  @Override
  public final Outcome complete(Claim claim, TaskResult result) {
    return fence.call(
        () -> listeners.answered(claim, Answer.COMPLETED, answers.complete(claim, result)));
  }

  @Override
  public final Outcome fail(Claim claim, Failure failure) {
    return fence.call(() -> listeners.answered(claim, Answer.FAILED, answers.fail(claim, failure)));
  }

  @Override
  public final Outcome release(Claim claim, String reason) {
    return fence.call(
        () -> listeners.answered(claim, Answer.RELEASED, answers.release(claim, reason)));
  }

  @Override
  public final ClaimSignal heartbeat(Claim claim, boolean progress) {
    return fence.call(() -> listeners.signalled(claim, answers.heartbeat(claim, progress)));
  }

  @Override
  public final Outcome freeze(Claim claim, JsonObject terms) {
    return fence.call(() -> answers.freeze(claim, terms));
  }

  @Override
  public ClaimSignal appendJournal(Claim claim, OutputChunk piece) {
    return fence.call(() -> listeners.journaled(claim, piece, answers.appendJournal(claim, piece)));
  }

  @Override
  public final void log(Claim claim, String level, String line) {
    fence.run(() -> answers.log(claim, level, line));
  }

  @Override
  public int sweep() {
    return fence.call(
        () -> {
          endFailure();
          updater.awaitAll(); // log lines that no caller waited for
          updater.forgetOutdated();
          claimer.releaseUndelivered();
          claimer.putDroppedAgain();
          updater.readQuarantinedAgain();
          return listeners.swept(
              new TimeoutSweep<>(repository, updater, quarantined, random).run());
        });
  }

  /** While the store fails, nobody may call it: so it finds out by itself that it works again. */
  private void endFailure() {
    if (fence.failures().isTrialDue()) {
      try {
        repository.tryWriting();
        fence.failures().end();
      } catch (IOException | StoreException e) {
        // it still fails
      }
    }
  }

  @Override
  public StoreHealth health() {
    return new StoreHealth(
        fence.failures().trouble(), fence.failures().failures(), repository.freeBytes());
  }

  @Override
  public final long awaitWork(long seen, Duration atMost) throws InterruptedException {
    return repository.index().awaitWork(seen, atMost);
  }

  @Override
  public boolean isIdle(Set<String> types) {
    return repository.index().isIdle(types);
  }

  @Override
  public final void onLever(Consumer<JobId> watcher) {
    updater.notifier().onLever(watcher);
  }

  @Override
  public final Subscription onChange(Consumer<JobId> watcher) {
    return updater.notifier().onChange(watcher);
  }

  /**
   * The counts that this process keeps. A store of several servers answers with a query instead: it
   * would have to read each job that another server changes.
   */
  @Override
  public StatusCounts statusCounts() {
    return updater.counting().counts();
  }

  @Override
  public final Subscription onWork(WorkListener listener) {
    return listeners.add(listener);
  }

  @Override
  public final Optional<String> readNote(String collection, String name) {
    return repository.notes().readNote(collection, name);
  }

  @Override
  public final List<String> noteNames(String collection) {
    return repository.notes().noteNames(collection);
  }

  @Override
  public final void writeNote(String collection, String name, String text) {
    fence.run(() -> repository.notes().writeNote(collection, name, text));
  }

  @Override
  public final boolean writeNoteAhead(
      String collection, String name, @Nullable String known, String text) {
    return fence.call(() -> repository.notes().writeNoteAhead(collection, name, known, text));
  }

  @Override
  public final void deleteNote(String collection, String name) {
    fence.run(() -> repository.notes().deleteNote(collection, name));
  }

  /** Refuses later calls that write, and waits for those under way. */
  @Override
  public void close() {
    fence.close();
    updater.counting().close();
  }
}
