package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.IdGenerator;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Demand;
import dev.millrace.core.store.ManualClock;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskResult;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A store on a simulated disk, and a count of what it acknowledged. Every verb throws if the store
 * refuses it; what returns was acknowledged.
 */
final class Rig {
  static final Path ROOT = Path.of("/ws");
  static final Places PLACES = new Places(ROOT);
  static final Set<String> TYPES = Set.of("generate", "embed", "a", "b", "c");
  static final Cause ANNA = Cause.user("anna", "because");

  final SimDisk disk;
  final ManualClock clock;
  final FsStore store;
  final List<JobId> jobs = new ArrayList<>();
  final List<Claim> claims = new ArrayList<>();
  private Runnable observer = () -> {};
  private int acknowledged;

  /** A program on a disk that nobody has used yet, and that syncs nothing but what it is told. */
  static Rig fresh() {
    return fresh(false);
  }

  /**
   * @param canSyncAll whether many files may be synced by a sync of everything
   */
  static Rig fresh(boolean canSyncAll) {
    return new Rig(new SimDisk(canSyncAll), ManualClock.START, 7);
  }

  /**
   * @param process its number, part of the ids it makes
   */
  Rig(SimDisk disk, Instant now, long process) {
    this.disk = disk;
    this.clock = new ManualClock(now);
    this.store =
        FsStore.openUnlocked(
            new FsSettings(
                ROOT, disk, clock, new IdGenerator(clock, process)::next, () -> 1L << 63));
  }

  /** Is told after each acknowledgement. */
  void observe(Runnable newObserver) {
    observer = newObserver;
  }

  int acknowledged() {
    return acknowledged;
  }

  /** What every task here is to answer. */
  static String resultOf(Claim claim) {
    return "<" + claim.inputText() + ">";
  }

  static TaskResult answerOf(Claim claim) {
    return TaskResult.of(resultOf(claim))
        .withReceipt(JsonObject.create().put("of", claim.inputText()));
  }

  private <T> T told(Supplier<T> call) {
    T answer = call.get();
    acknowledged++;
    observer.run();
    return answer;
  }

  private void done(Supplier<Answer> call) {
    told(
        () -> {
          Answer answer = call.get();
          assertThat(answer).isEqualTo(Answer.DONE);
          return answer;
        });
  }

  JobId submit(JobSpec spec) {
    JobId id = told(() -> store.submit(spec));
    jobs.add(id);
    return id;
  }

  List<Claim> claim(int limit) {
    List<Claim> some = told(() -> store.claim(new Demand(TYPES, limit, "worker", null)));
    claims.addAll(some);
    return some;
  }

  /** Claims that outlive their owner. */
  List<Claim> lease(int limit, Duration lease) {
    return told(() -> store.claim(new Demand(TYPES, limit, "far", lease, true)));
  }

  JobId submitAs(JobSpec spec, JobId id) {
    told(() -> store.submit(spec, id));
    jobs.add(id);
    return id;
  }

  void addStage(JobId id, StageSpec stage) {
    done(() -> store.addStage(id, stage, ANNA).answer());
  }

  void addTasks(JobId id, int stage, TaskSpec... tasks) {
    done(() -> store.addTasks(id, stage, List.of(tasks), ANNA).answer());
  }

  void prioritize(JobId id, Priority priority) {
    done(() -> store.prioritize(id, priority, ANNA));
  }

  void describe(JobId id, int stage, int task, String text) {
    JsonObject metadata = JsonObject.create().put("said", text);
    done(() -> store.describe(id, stage, task, metadata, ANNA));
  }

  void delete(JobId id) {
    done(() -> store.delete(id));
  }

  void complete(Claim claim) {
    done(() -> store.complete(claim, answerOf(claim)));
  }

  /** Settles terms and journals a few tokens; durable later, so not acknowledged. */
  void generate(Claim claim) {
    assertThat(store.freeze(claim, JsonObject.create().put("seed", 7))).isEqualTo(Answer.DONE);
    for (int i = 0; i < 3; i++) {
      store.journal(claim, new Piece(List.of(i), "t" + i));
    }
  }

  void fail(Claim claim, Failure failure) {
    done(() -> store.fail(claim, failure));
  }

  void release(Claim claim) {
    done(() -> store.release(claim, "shutdown"));
  }

  void pause(JobId id) {
    done(() -> store.pause(id, ANNA));
  }

  void resume(JobId id) {
    done(() -> store.resume(id, ANNA));
  }

  void abort(JobId id) {
    done(() -> store.abort(id, ANNA));
  }

  void approve(JobId id, int stage) {
    done(() -> store.approve(id, stage, ANNA));
  }

  void hold(JobId id, int stage) {
    done(() -> store.hold(id, stage, ANNA));
  }

  int prune(JobState... states) {
    return told(() -> store.prune(clock.instant().plusSeconds(1), Set.of(states)));
  }

  int sweep() {
    return told(store::sweep);
  }

  void later(Duration by) {
    clock.advance(by);
  }
}
