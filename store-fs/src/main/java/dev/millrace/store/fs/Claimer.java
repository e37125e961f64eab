package dev.millrace.store.fs;

import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.rules.Fact.Detail;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Demand;
import dev.millrace.core.store.StoreBroken;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.Failure;
import dev.millrace.store.fs.ClaimQueue.Candidate;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Hands out tasks in claim order. Thread-safe. */
final class Claimer {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final Ledger ledger;
  private final ClaimQueue queue;
  private final GroupCommit commits;
  private final Leases leases;
  private final LeftAlone left;
  private volatile boolean troubled;

  Claimer(Ledger ledger, ClaimQueue queue, Leases leases, GroupCommit commits, LeftAlone left) {
    this.ledger = ledger;
    this.queue = queue;
    this.leases = leases;
    this.commits = commits;
    this.left = left;
  }

  List<Claim> claim(Demand demand) {
    List<Claim> claims = new ArrayList<>();
    Dirty dirty = new Dirty();
    StoreException trouble = null;
    Candidate next = queue.next(demand.types(), null);
    while (next != null && trouble == null) {
      trouble = take(next, demand, claims, dirty);
      next = claims.size() < demand.limit() ? queue.next(demand.types(), next) : null;
    }
    commits.commit(dirty);
    ledger.bulletin().tell(dirty); // also of what ended where nothing was claimed
    if (trouble != null && claims.isEmpty()) {
      throw trouble;
    }
    if (trouble != null) {
      LOG.log(Level.ERROR, trouble.getMessage()); // the next claim meets it again
    }
    return claims;
  }

  /** Claims what one job has; answers what is wrong where it is not that job alone. */
  private @Nullable StoreException take(
      Candidate next, Demand demand, List<Claim> claims, Dirty dirty) {
    try {
      Optional<Boolean> again = Optional.of(true);
      while (again.orElse(false) && claims.size() < demand.limit()) {
        again = ledger.step(next.id(), dirty, (job, _) -> from(job, demand, claims, dirty));
      }
      if (again.isEmpty()) {
        queue.drop(next); // it was moved or removed meanwhile
      }
      return null;
    } catch (StoreBroken e) {
      throw e;
    } catch (RuntimeException e) {
      if (e instanceof StoreException store && !Failures.isOfOneJob(store)) {
        return store;
      }
      queue.drop(next); // others go on; a later rescan looks at it again
      troubled = true;
      left.report(next.id(), e);
      return null;
    }
  }

  /** Whether a job was left alone since this was last asked. */
  boolean takeTroubled() {
    boolean was = troubled;
    troubled = false;
    return was;
  }

  /**
   * Claims what the job's open stage has, as far as the demand goes; true if that ended the stage,
   * because the rest had waited too long or was malformed: another may be open now.
   */
  private boolean from(ActiveJob job, Demand demand, List<Claim> claims, Dirty dirty)
      throws IOException {
    StageFold stage = job.openStage();
    if (stage == null || !demand.types().contains(stage.plan().type())) {
      ledger.index(job);
      return false;
    }
    Instant now = ledger.now(); // the log's time, which never runs back, is not for waits
    Duration timeout = stage.plan().policy().queueTimeout();
    if (timeout != null && expire(job, stage, now, timeout, dirty)) {
      return true;
    }
    int first = job.nextAwake(stage, 0, now);
    if (first < 0) {
      ledger.index(job);
      return false;
    }
    if (job.place() == JobState.PENDING) {
      // The rename first: the log of a job that waits need not be read to know that it waits.
      ledger.move(job, JobState.IN_PROGRESS, dirty);
    }
    List<Claim> taken = new ArrayList<>();
    int most = demand.limit() - claims.size();
    ledger.record(
        job,
        dirty,
        turn -> {
          for (int task = first;
              task >= 0 && taken.size() < most && stage.state().open();
              task = job.nextAwake(stage, task + 1, now)) {
            one(job, turn, stage, task, demand, taken);
          }
          return Answer.DONE;
        });
    if (!job.fold().state().isFinal()) { // else a task that was malformed has failed them all
      claims.addAll(taken); // not before they are written: a claim that is not in the log is none
      taken.forEach(claim -> leases.grant(claim, now));
    }
    ledger.finish(job, dirty);
    return !stage.state().open();
  }

  /** Fails what has waited too long while nobody was there to see it; true if the stage is over. */
  private boolean expire(ActiveJob job, StageFold stage, Instant now, Duration timeout, Dirty dirty)
      throws IOException {
    int number = stage.number();
    Instant known = job.overdueFrom(number);
    if (known != null && now.isBefore(known)) {
      return false; // or each claim would look at each task that waits
    }
    ledger.record(
        job,
        dirty,
        turn -> {
          Instant earliest = now.plus(timeout); // of those that come from now on
          for (int task = job.nextWaiting(number, 0);
              task >= 0;
              task = job.nextWaiting(number, task + 1)) {
            if (!Claims.expire(turn, number, task).done()) {
              Instant deadline = Claims.queueDeadline(turn.fold(), number, task);
              earliest = deadline == null || earliest.isBefore(deadline) ? earliest : deadline;
            }
          }
          job.overdueFrom(number, earliest);
          return Answer.DONE;
        });
    if (stage.state().open()) {
      return false;
    }
    ledger.finish(job, dirty);
    return true;
  }

  private void one(
      ActiveJob job, Turn turn, StageFold stage, int task, Demand demand, List<Claim> claims) {
    int number = stage.number();
    Claims.claim(
        turn,
        number,
        task,
        new Detail.Claimed(ledger.epoch(), demand.worker(), demand.lease(), demand.bare()));
    Hold hold = new Hold(number, task, Objects.requireNonNull(stage.task(task).token()));
    try {
      if (job.problem() != null) {
        throw new JobFiles.Malformed(job.problem());
      }
      claims.add(job.claim(stage, task));
    } catch (IOException e) {
      String why = e instanceof JobFiles.Malformed ? e.getMessage() : Failures.explain(e);
      LOG.log(Level.WARNING, "job " + job.id() + ": " + why);
      Claims.fail(turn, hold, Failure.permanent(String.valueOf(why)), 0);
    }
  }
}
