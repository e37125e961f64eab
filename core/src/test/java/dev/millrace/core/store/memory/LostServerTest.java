package dev.millrace.core.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.internal.store.JobRepository;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** One of two servers on the same jobs is lost: the other one takes its tasks. */
class LostServerTest {
  private final ContractSettings settings = ContractSettings.of(new ManualClock());
  private final MemoryContents contents = new MemoryContents();
  private final long first = contents.join();
  private final MemoryStore one = MemoryStore.open(settings, contents, first);
  private final MemoryStore other = MemoryStore.open(settings, contents, contents.join());

  private static Claim claim(MemoryStore store) {
    return store.claim(new ClaimRequest(Set.of("a"), 1, "worker", null)).getFirst();
  }

  @Test
  void aJobThatAnotherServerEndedIsDroppedFromMemory() {
    JobId id = one.submit(JobSpec.of(List.of(StageSpec.of("a", List.of(TaskSpec.of("1"))))));
    Claim claim = claim(one);
    assertThat(one.loadedJobs()).isEqualTo(1);
    assertThat(other.complete(claim, TaskResult.of("done"))).isEqualTo(Outcome.DONE);
    one.sweep();
    assertThat(one.loadedJobs()).isZero();
    assertThat(one.state(id)).contains(JobState.COMPLETED);
  }

  @Test
  void theTasksOfALostServerAreReleasedByASweepOfAnother() {
    JobId id =
        one.submit(
            JobSpec.of(List.of(StageSpec.of("a", List.of(TaskSpec.of("1"), TaskSpec.of("2"))))));
    Claim lost = claim(one);
    Claim kept = claim(other);
    other.sweep();
    assertThat(other.heartbeat(lost, false)).as("its server lives").isEqualTo(ClaimSignal.CONTINUE);
    contents.leave(first);
    other.sweep();
    assertThat(other.task(id, 1, 1).orElseThrow().state()).isEqualTo(TaskState.RETRIED);
    assertThat(other.complete(lost, TaskResult.of("late"))).isInstanceOf(Outcome.Fenced.class);
    assertThat(other.complete(kept, TaskResult.of("two"))).isEqualTo(Outcome.DONE);
    assertThat(other.complete(claim(other), TaskResult.of("one"))).isEqualTo(Outcome.DONE);
    assertThat(one.state(id)).contains(JobState.COMPLETED);
  }

  @Test
  void aJobThatAnotherServerCompletesWhileItIsReadIsReadAgain() {
    JobId id = one.submit(JobSpec.of(List.of(StageSpec.of("a", List.of(TaskSpec.of("1"))))));
    claim(one);
    contents.leave(first);
    AtomicBoolean once = new AtomicBoolean(true);
    MemoryRepository memory = new MemoryRepository(settings, contents, contents.join());
    JobRepository<MemoryStoredJob> racing =
        PortErrorTest.overriding(
            memory,
            "append",
            () -> {
              if (once.getAndSet(false)) {
                other.sweep(); // releases the task that this one is about to release
              }
            });
    try (PortErrorTest.FailingStore store =
        new PortErrorTest.FailingStore(memory, racing, settings.random())) {
      assertThat(store.pause(id, Cause.user("anna", null))).isEqualTo(Outcome.DONE);
    }
    assertThat(once).isFalse();
    assertThat(other.task(id, 1, 1).orElseThrow().state()).isEqualTo(TaskState.RETRIED);
  }
}
