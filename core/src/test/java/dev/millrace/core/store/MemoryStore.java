package dev.millrace.core.store;

import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.rules.Fact.Detail;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.Levers;
import dev.millrace.core.rules.Pulse;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.rules.TaskFold;
import dev.millrace.core.rules.Trace;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The store contract as a program: everything in memory, every question answered by looking at
 * everything, one thread at a time. Slow on purpose; other stores are compared with it.
 */
public final class MemoryStore extends MemoryReading implements JobStore {

  private record Holding(JobId job, Hold hold) {}

  private record Lease(Duration length, Instant until) {}

  private final ContractSettings settings;
  private final long epoch;
  private final Map<Holding, Lease> leases = new HashMap<>();
  private Consumer<JobId> levers = _ -> {};

  /** Takes over {@code contents}: folds every log again, and recovers what was left running. */
  MemoryStore(ContractSettings settings, Contents contents) {
    super(contents);
    this.settings = settings;
    this.epoch = ++contents.epoch;
    for (MemoryJob job : jobs.values()) {
      step(
          job.id,
          turn -> {
            Claims.recover(turn, epoch, hold -> trace(job.id, hold));
            return turn.settle();
          });
    }
  }

  private Trace trace(JobId id, Hold hold) {
    TaskFold task = folds.get(id).stage(hold.stage()).task(hold.task());
    return jobs.get(id).trace(hold.stage(), hold.task(), task);
  }

  /** One step of a job: when it returns, what it recorded is in the log. */
  private synchronized <T> T step(JobId id, Function<Turn, T> act) {
    MemoryJob job = jobs.get(id);
    JobFold fold = folds.get(id);
    Set<String> stopping = stopping(fold);
    Set<List<Integer>> running = running(fold);
    Turn turn = new Turn(fold, now(), job::open);
    T answer = act.apply(turn);
    job.log.addAll(turn.entries());
    notifyAll();
    for (Entry entry : turn.entries()) {
      if (entry.fact() instanceof Fact.OfTask(int stage, int task, var _, var _)) {
        running.remove(List.of(stage, task)); // it knows
      }
    }
    if (!running.isEmpty() && !stopping.containsAll(stopping(fold))) {
      levers.accept(id);
    }
    return answer;
  }

  private static Set<List<Integer>> running(JobFold fold) {
    Set<List<Integer>> running = new HashSet<>();
    for (StageFold stage : fold.stages()) {
      for (int task = 1; task <= stage.size(); task++) {
        if (stage.task(task).state() == TaskState.IN_PROGRESS) {
          running.add(List.of(stage.number(), task));
        }
      }
    }
    return running;
  }

  /** What of a job keeps its tasks from running. */
  private static Set<String> stopping(JobFold fold) {
    Set<String> names = new HashSet<>();
    if (Set.of(JobState.PAUSED, JobState.ABORTED, JobState.FAILED).contains(fold.state())) {
      names.add(fold.state().name());
    }
    fold.stages().stream()
        .filter(stage -> stage.state() == StageState.WAITING)
        .forEach(stage -> names.add("stage " + stage.number()));
    return names;
  }

  private synchronized Answer answer(JobId id, Function<Turn, Answer> act) {
    return jobs.containsKey(id) ? step(id, act) : new Answer.Missing("no job " + id);
  }

  private Instant now() {
    return settings.clock().instant().truncatedTo(ChronoUnit.MICROS);
  }

  @Override
  public synchronized JobId submit(JobSpec spec) {
    MemoryJob.requireSmallInputs(spec);
    MemoryJob job = new MemoryJob(settings.ids().get(), spec, now());
    jobs.put(job.id, job);
    folds.put(job.id, job.fold());
    step(
        job.id,
        turn -> {
          turn.record(new Fact.Submitted());
          return turn.settle();
        });
    return job.id;
  }

  @Override
  public synchronized List<Claim> claim(Demand demand) {
    List<Claim> claims = new ArrayList<>();
    for (MemoryJob job : inClaimOrder()) {
      claims.addAll(claim(job, demand, demand.limit() - claims.size()));
    }
    return claims;
  }

  private List<Claim> claim(MemoryJob job, Demand demand, int most) {
    List<Claim> taken = new ArrayList<>();
    JobFold fold = folds.get(job.id);
    for (StageFold stage : fold.stages()) {
      if (taken.size() < most && demand.types().contains(stage.plan().type())) {
        expire(job.id, stage); // nobody may have been there to see them wait
      }
      for (int task = 1; task <= stage.size(); task++) {
        if (taken.size() < most
            && demand.types().contains(stage.plan().type())
            && Claims.claimable(fold, stage.number(), task, now())) {
          taken.add(claim(job, stage, task, demand));
        }
      }
    }
    return taken;
  }

  private void expire(JobId id, StageFold stage) {
    for (int task = 1; task <= stage.size(); task++) {
      int number = task;
      step(id, turn -> Claims.expire(turn, stage.number(), number));
    }
  }

  private Claim claim(MemoryJob job, StageFold stage, int task, Demand demand) {
    int number = stage.number();
    Detail.Claimed by = new Detail.Claimed(epoch, demand.worker());
    step(job.id, turn -> Claims.claim(turn, number, task, by));
    Hold hold = new Hold(number, task, stage.task(task).token());
    if (demand.lease() != null) {
      leases.put(new Holding(job.id, hold), new Lease(demand.lease(), now().plus(demand.lease())));
    }
    StageSpec spec = job.spec.stages().get(number - 1);
    return new Claim(
        job.id,
        hold,
        spec.type(),
        stage.task(task).attempts() + 1,
        job.input(number, task),
        spec.data(),
        spec.policy().runTimeout(),
        job.createdAt,
        stage.task(task).frozen(),
        prior(job, number, task, stage.task(task)));
  }

  private static List<Integer> prior(MemoryJob job, int stage, int task, TaskFold fold) {
    return fold.frozen() == null
        ? List.of()
        : job.journal(stage, task, fold.freeze()).stream()
            .flatMap(piece -> piece.tokens().stream())
            .toList();
  }

  @Override
  public synchronized Answer complete(Claim claim, TaskResult result) {
    Hold hold = claim.hold();
    MemoryJob job = jobs.get(claim.job());
    if (job != null && Claims.check(folds.get(job.id), hold).done()) {
      // Before the completion: the next stage's templates may ask for it at once.
      job.keep(hold.stage(), hold.task(), result);
    }
    return answer(claim.job(), turn -> Claims.complete(turn, hold, new Detail.Completed(0, 0)));
  }

  @Override
  public Answer fail(Claim claim, Failure failure) {
    return answer(
        claim.job(),
        turn -> Claims.fail(turn, claim.hold(), failure, settings.random().nextDouble()));
  }

  @Override
  public Answer release(Claim claim, String reason) {
    return answer(claim.job(), turn -> Claims.release(turn, claim.hold(), reason));
  }

  @Override
  public synchronized Pulse heartbeat(Claim claim, boolean progress) {
    if (!jobs.containsKey(claim.job())) {
      return Pulse.LOST;
    }
    Hold hold = claim.hold();
    JobFold fold = folds.get(claim.job());
    if (Claims.check(fold, hold).done()) {
      leases.computeIfPresent(
          new Holding(claim.job(), hold),
          (at, lease) -> new Lease(lease.length(), now().plus(lease.length())));
      if (progress) {
        step(claim.job(), turn -> Claims.progress(turn, hold));
      }
    }
    return Claims.pulse(fold, hold);
  }

  @Override
  public Answer freeze(Claim claim, JsonObject terms) {
    return answer(claim.job(), turn -> Claims.freeze(turn, claim.hold(), terms));
  }

  @Override
  public synchronized Pulse journal(Claim claim, Piece piece) {
    Pulse pulse = heartbeat(claim, !piece.tokens().isEmpty());
    if (pulse == Pulse.CONTINUE || pulse == Pulse.PAUSE) {
      Hold hold = claim.hold();
      TaskFold task = folds.get(claim.job()).stage(hold.stage()).task(hold.task());
      jobs.get(claim.job()).journal(hold, task.journal(), piece);
      notifyAll();
    }
    return pulse;
  }

  @Override
  public synchronized void onLever(Consumer<JobId> watcher) {
    levers = watcher;
  }

  @Override
  public void log(Claim claim, String level, String line) {
    Hold hold = claim.hold();
    answer(
        claim.job(),
        turn -> {
          Answer answer = Claims.check(turn.fold(), hold);
          if (answer.done()) {
            turn.record(new Fact.Line(hold.stage(), hold.task(), level, line));
          }
          return answer;
        });
  }

  @Override
  public synchronized int sweep() {
    int moved = 0;
    for (JobId id : jobs.keySet()) {
      for (StageFold stage : folds.get(id).stages()) {
        for (int task = 1; task <= stage.size(); task++) {
          int number = task;
          moved += step(id, turn -> sweep(turn, id, stage, number)).done() ? 1 : 0;
        }
      }
    }
    return moved;
  }

  private Answer sweep(Turn turn, JobId id, StageFold stage, int task) {
    JobFold fold = turn.fold();
    int number = stage.number();
    if (due(Claims.runDeadline(fold, number, task))) {
      return Claims.overrun(turn, number, task, settings.random().nextDouble());
    }
    if (due(Claims.queueDeadline(fold, number, task))) {
      return Claims.expire(turn, number, task);
    }
    if (stage.task(task).state() == TaskState.IN_PROGRESS) {
      Hold hold = new Hold(number, task, stage.task(task).token());
      Lease lease = leases.get(new Holding(id, hold));
      if (lease != null && due(lease.until())) {
        return Claims.lose(turn, hold, "lost lease", trace(id, hold));
      }
    }
    return new Answer.Refused("nothing is due");
  }

  private boolean due(@Nullable Instant deadline) {
    return deadline != null && !now().isBefore(deadline);
  }

  @Override
  public synchronized void awaitWork(Duration atMost) throws InterruptedException {
    boolean nothing =
        folds.values().stream()
            .flatMap(fold -> fold.stages().stream())
            .allMatch(stage -> idle(Set.of(stage.plan().type())));
    if (nothing && atMost.toMillis() > 0) {
      wait(atMost.toMillis());
    }
  }

  @Override
  public synchronized boolean idle(Set<String> types) {
    for (JobFold fold : folds.values()) {
      for (StageFold stage : fold.stages()) {
        boolean open = fold.state().open() && stage.state().open();
        int queued = stage.count(TaskState.PENDING) + stage.count(TaskState.RETRIED);
        if (types.contains(stage.plan().type())
            && (stage.count(TaskState.IN_PROGRESS) > 0 || open && queued > 0)) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  public Answer pause(JobId id, Cause cause) {
    return answer(id, turn -> Levers.pull(turn, JobEvent.PAUSE, cause));
  }

  @Override
  public Answer resume(JobId id, Cause cause) {
    return answer(id, turn -> Levers.pull(turn, JobEvent.RESUME, cause));
  }

  @Override
  public Answer abort(JobId id, Cause cause) {
    return answer(id, turn -> Levers.pull(turn, JobEvent.ABORT, cause));
  }

  @Override
  public Answer approve(JobId id, int stage, Cause cause) {
    return answer(id, turn -> Levers.approve(turn, stage, cause));
  }

  @Override
  public Answer hold(JobId id, int stage, Cause cause) {
    return answer(id, turn -> Levers.hold(turn, stage, cause));
  }

  @Override
  public synchronized int prune(Instant before, Set<JobState> states) {
    List<JobId> old =
        jobs.keySet().stream()
            .filter(
                id -> {
                  JobFold fold = folds.get(id);
                  return fold.state().isFinal()
                      && states.contains(fold.state())
                      && fold.completedAt().isBefore(before);
                })
            .toList();
    jobs.keySet().removeAll(old);
    folds.keySet().removeAll(old);
    return old.size();
  }

  @Override
  public synchronized void close() {
    notifyAll();
  }
}
