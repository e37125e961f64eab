package dev.millrace.core.internal.store;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.lease.JobClaimKey;
import dev.millrace.core.internal.lease.Leases;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.JsonSize;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.internal.store.ClaimIndex.Candidate;
import dev.millrace.core.internal.store.UndeliveredClaims.Handover;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Gives tasks to workers, in claim order. Thread-safe. */
final class Claimer<J extends StoredJob> {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /**
   * A request ends after about so many bytes of inputs in memory: they are read before the claims
   * are written, so that too many would end each process that tries.
   */
  private static final long MOST_INPUT = 16_000_000;

  private final JobRepository<J> repository;
  private final JobUpdater<J> updater;
  private final ClaimIndex index;
  private final QuarantinedJobs quarantined;
  private final UndeliveredClaims<J> undelivered;

  /** Jobs that a failed claim has dropped from the index: the next sweep puts them back. */
  private final Set<JobId> dropped = ConcurrentHashMap.newKeySet();

  /** How many appends are written together. */
  private final int together;

  private volatile boolean troubled;

  Claimer(JobRepository<J> repository, JobUpdater<J> updater, QuarantinedJobs quarantined) {
    this.repository = repository;
    this.updater = updater;
    this.index = repository.index();
    this.together = repository.mostTogether();
    this.quarantined = quarantined;
    this.undelivered = new UndeliveredClaims<>(repository, updater, quarantined);
  }

  /** Claims tasks. If it throws, no task stays claimed. */
  List<Claim> claim(ClaimRequest request) {
    Handover handover = undelivered.begin();
    try {
      List<Claim> claims = claim(request, handover);
      undelivered.delivered(handover, claims);
      return claims;
    } catch (RuntimeException | Error e) {
      undelivered.failed(handover);
      releaseAfter(e);
      throw e;
    }
  }

  /** Releases now what no worker has, or else with the next sweep. */
  private void releaseAfter(Throwable reason) {
    try {
      undelivered.release();
    } catch (RuntimeException | Error further) {
      JobUpdater.addSuppressed(reason, further);
    }
  }

  /** The answer to a claim could not be stored, and will not be repeated. */
  void abandon(Claim claim) {
    undelivered.abandon(claim);
  }

  /** Releases claims that were written but given to no worker. */
  void releaseUndelivered() {
    undelivered.release();
  }

  private List<Claim> claim(ClaimRequest request, Handover handover) {
    StepBatch batch = new StepBatch();
    Round<J> round =
        new Round<>(request, handover, batch, new StepGroup<>(repository, updater, batch));
    StoreException trouble = null;
    Candidate last = null;
    try {
      Candidate next = next(round, null);
      while (next != null) {
        last = next;
        trouble = take(next, round, together > 1);
        if (trouble == null && (!round.hasRoom() || round.group.size() >= together)) {
          trouble = append(round);
        }
        next = trouble == null && round.hasRoom() ? next(round, next) : null;
      }
      trouble = trouble == null ? append(round) : trouble;
    } finally {
      round.group.discard();
      endRound(last);
    }
    repository.awaitDurable(batch.commit());
    updater.notifier().notifyWatchers(batch); // also for jobs that ended without a claim
    if (trouble != null && round.claims.isEmpty()) {
      throw trouble;
    }
    if (trouble != null) {
      LOG.log(Level.ERROR, trouble.getMessage()); // the next claim tries it again
    }
    return round.claims;
  }

  /** What a request has claimed so far. */
  private static final class Round<J extends StoredJob> {
    private final ClaimRequest request;
    private final Handover handover;
    private final StepBatch batch;
    private final StepGroup<J> group;
    private final List<Claim> claims = new ArrayList<>();
    private final Queue<Candidate> missed = new ArrayDeque<>();
    private int pending; // claims that are not appended yet
    private long room = MOST_INPUT;

    Round(ClaimRequest request, Handover handover, StepBatch batch, StepGroup<J> group) {
      this.request = request;
      this.handover = handover;
      this.batch = batch;
      this.group = group;
    }

    int wanted() {
      return request.limit() - claims.size() - pending;
    }

    boolean hasRoom() {
      return wanted() > 0 && room > 0;
    }

    /** A step has made claims. */
    void taken(Taken some) {
      pending += some.claims().size();
      room = some.room();
    }

    /** They are in the log. */
    void appended(Taken some, Leases leases) {
      claims.addAll(some.granted(leases));
      pending -= some.claims().size();
    }

    /** Another process has changed the job. */
    void missed(Taken some, Candidate candidate) {
      pending -= some.claims().size();
      missed.add(candidate);
    }
  }

  /** About how many bytes of memory a claim's input takes. */
  private static long inputBytes(Claim claim) {
    return JsonSize.of(claim.input()).memory() + JsonSize.of(claim.view().metadata()).memory();
  }

  /** A job that a request names; it is not taken out of the index. */
  private record NamedJob(JobId id) implements Candidate {}

  private @Nullable Candidate next(Round<J> round, @Nullable Candidate after) {
    JobId job = round.request.job();
    if (job == null) {
      return index.next(round.request.types(), after, round.wanted());
    }
    return after == null ? new NamedJob(job) : null;
  }

  private void endRound(@Nullable Candidate last) {
    if (last != null && !(last instanceof NamedJob)) {
      index.endRound(last);
    }
  }

  private void drop(Candidate candidate) {
    if (!(candidate instanceof NamedJob)) {
      index.drop(candidate);
    }
  }

  /** Claims tasks of one job; returns a problem only if it is not of this job alone. */
  private @Nullable StoreException take(Candidate next, Round<J> round, boolean inGroup) {
    JobUpdater.Step<J, Taken> step =
        (job, update) -> {
          Taken some = take(job, update, round);
          undelivered.note(round.handover, some.claims());
          return some;
        };
    try {
      boolean again = true;
      while (again && round.hasRoom()) {
        Optional<Taken> taken =
            inGroup ? takeTogether(next, round, step) : takeAlone(next, round, step);
        again = taken.isPresent() && taken.get().again();
        if (taken.isEmpty()) {
          drop(next); // the job was removed in the meantime
        }
      }
      return null;
    } catch (StoreBrokenException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      if (e instanceof StoreException store && !updater.isOfOneJob(store)) {
        return store;
      }
      drop(next); // continue with other jobs; also if another thread has just put it there
      dropped.add(next.id());
      troubled |= !quarantined.contains(next.id()); // then a later rescan tries this one again
      quarantined.report(next.id(), e);
      return null;
    }
  }

  private Optional<Taken> takeAlone(
      Candidate next, Round<J> round, JobUpdater.Step<J, Taken> step) {
    Optional<Taken> taken = updater.step(next.id(), round.batch, step);
    taken.ifPresent(
        some -> {
          round.taken(some);
          round.appended(some, repository.leases());
        });
    return taken;
  }

  /** The claims count once they are appended, together with those of other jobs. */
  private Optional<Taken> takeTogether(
      Candidate next, Round<J> round, JobUpdater.Step<J, Taken> step) {
    List<Taken> last = new ArrayList<>(1); // a step may be repeated
    Optional<Taken> taken =
        round.group.step(
            next.id(),
            (job, update) -> {
              last.clear();
              last.add(step.apply(job, update));
              return last.getFirst();
            },
            appended -> {
              if (appended) {
                round.appended(last.getFirst(), repository.leases());
              } else {
                round.missed(last.getFirst(), next);
              }
            });
    taken.ifPresent(round::taken);
    if (taken.isPresent() && taken.get().again()) {
      round.group.append(); // what is open then is known by the job alone
    }
    return taken;
  }

  private @Nullable StoreException append(Round<J> round) {
    try {
      round.group.append();
    } catch (StoreBrokenException e) {
      throw e;
    } catch (StoreException e) {
      return e;
    }
    StoreException trouble = null;
    for (Candidate next = round.missed.poll();
        next != null && trouble == null;
        next = round.missed.poll()) {
      trouble = take(next, round, false); // as the other process has left it
    }
    return trouble;
  }

  /** Puts back what was dropped because a claim failed. */
  void putDroppedAgain() {
    for (JobId id : dropped) {
      dropped.remove(id);
      try {
        updater.step(
            id,
            (job, _) -> {
              index.put(job);
              return job;
            });
      } catch (StoreBrokenException | StoreException.Closed e) {
        throw e;
      } catch (RuntimeException | Error e) {
        if (!quarantined.contains(id)) { // else it is read again when it is worth that
          dropped.add(id);
          quarantined.report(id, e);
        }
      }
    }
  }

  /** Whether a job was skipped since the last call. */
  boolean takeTroubled() {
    boolean was = troubled;
    troubled = false;
    return was;
  }

  /**
   * Claims of one step.
   *
   * @param again whether the stage ended, because the remaining tasks had timed out or were
   *     malformed: the next stage may be open now
   * @param room how many bytes of input the request may still have
   */
  private record Taken(List<Claim> claims, Instant now, boolean again, long room) {
    /** Only after writing: a claim that is not in the log does not exist. */
    List<Claim> granted(Leases leases) {
      for (Claim claim : claims) {
        if (claim.lease() != null) {
          leases.grant(JobClaimKey.of(claim), claim.lease(), now);
        }
      }
      return claims;
    }
  }

  /** Claims tasks of the job's open stage. */
  private Taken take(J job, JobUpdate update, Round<J> round) {
    ClaimRequest request = round.request;
    int most = round.wanted();
    Instant now = update.steadyNow();
    StageFold stage = job.openStage();
    if (stage == null || !request.types().contains(stage.plan().type())) {
      index.put(job);
      return new Taken(List.of(), now, false, round.room);
    }
    Duration timeout = stage.plan().policy().queueTimeout();
    if (timeout != null) {
      expire(job, update, stage, now, timeout);
    }
    List<Claim> claims = new ArrayList<>();
    long room = round.room;
    for (int task = stage.state().isOpen() ? job.nextClaimable(stage, 0, now) : -1;
        task >= 0 && claims.size() < most && room > 0 && stage.state().isOpen();
        task = job.nextClaimable(stage, task + 1, now)) {
      int before = claims.size();
      one(job, update, stage, task, request, claims);
      room -= claims.size() > before ? inputBytes(claims.getLast()) : 0;
    }
    if (update.entries().isEmpty()) {
      index.put(job);
    }
    boolean failed = job.fold().state().isFinal(); // a malformed task has failed the stage
    return new Taken(failed ? List.of() : claims, now, !stage.state().isOpen(), room);
  }

  /** Fails tasks whose queue timeout passed unnoticed. */
  private void expire(J job, JobUpdate update, StageFold stage, Instant now, Duration timeout) {
    int number = stage.number();
    Instant known = job.overdueFrom(number);
    if (known != null && now.isBefore(known)) {
      return; // else each claim would look at each waiting task
    }
    Instant earliest = now.plus(timeout); // for tasks that are enqueued from now on
    for (int task = job.nextWaiting(number, 0);
        task >= 0;
        task = job.nextWaiting(number, task + 1)) {
      if (!ClaimRules.expire(update, number, task).isDone()) {
        Instant deadline = ClaimRules.queueDeadline(update.fold(), number, task);
        earliest = deadline == null || earliest.isBefore(deadline) ? earliest : deadline;
      }
    }
    job.overdueFrom(number, earliest);
  }

  private void one(
      J job,
      JobUpdate update,
      StageFold stage,
      int task,
      ClaimRequest request,
      List<Claim> claims) {
    int number = stage.number();
    ClaimRules.claim(
        update,
        number,
        task,
        new Detail.Claimed(
            repository.epoch(), request.worker(), request.lease(), request.tokenless()));
    ClaimKey key = new ClaimKey(number, task, Objects.requireNonNull(stage.task(task).token()));
    String problem = job.problem();
    if (problem == null) {
      try {
        claims.add(present(job, stage, task));
        return;
      } catch (IOException e) {
        problem = repository.explain(e);
      }
    }
    LOG.log(Level.WARNING, "job " + job.id() + ": " + problem);
    ClaimRules.fail(update, key, Failure.permanent(problem), 0);
  }

  /** The present claim of a running task. */
  Claim present(J job, StageFold stage, int task) throws IOException {
    TaskFold at = stage.task(task);
    TaskFold.LoggedClaim held = Objects.requireNonNull(at.lastClaim());
    TaskSpec asked = repository.task(job, stage, task);
    return new Claim(
        job.id(),
        new ClaimKey(stage.number(), task, held.token()),
        stage.plan().type(),
        stage.plan().spec().data(),
        job.fold().plan().createdAt(),
        new Claim.Limits(stage.plan().policy().runTimeout(), held.lease()),
        resumption(job, stage, task),
        ViewFactory.task(stage, task, asked, null));
  }

  /** What earlier attempts under the same terms left; null if the terms are not frozen. */
  private Claim.@Nullable Resumption resumption(J job, StageFold stage, int task) {
    TaskFold at = stage.task(task);
    if (!at.hasFrozenTerms()) {
      return null;
    }
    JsonObject terms;
    try {
      terms = repository.frozenTerms(job, Objects.requireNonNull(at.freeze()).number());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the task is not to blame: its log cannot be read now
    }
    return new Claim.Resumption(terms, repository.readJournal(job, stage, task).output());
  }
}
