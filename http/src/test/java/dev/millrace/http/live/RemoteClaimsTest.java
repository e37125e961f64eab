package dev.millrace.http.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is known of the tasks of remote workers, with a clock that the test steps. */
class RemoteClaimsTest {
  private static final Duration LEASE = Duration.ofSeconds(10);

  private final ManualClock clock = new ManualClock();
  private final JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(clock));
  private final RemoteClaims remote = new RemoteClaims(clock);

  @AfterEach
  void close() {
    store.close();
  }

  private void submit(int tasks) {
    List<TaskSpec> inputs =
        IntStream.range(0, tasks).mapToObj(i -> TaskSpec.of("input " + i)).toList();
    store.submit(JobSpec.of(List.of(StageSpec.of("resize", inputs))));
    store.onWork(remote);
  }

  private Claim claim() {
    return store.claim(new ClaimRequest(Set.of("resize"), 1, "w", LEASE)).getFirst();
  }

  @Test
  void thoseOfWorkersThatDiedAreForgottenAlsoIfNobodyLooks() {
    submit(50);
    for (int i = 0; i < 50; i++) {
      claim();
      clock.advance(LEASE);
    }
    assertThat(remote.size()).as("each claim has outlived those before").isEqualTo(1);
    assertThat(remote.tasks()).as("its lease has ended, too").isEmpty();
  }

  @Test
  void aHeartbeatKeepsATaskAndTheTimeSinceWhichItRuns() {
    submit(1);
    Claim claim = claim();
    Instant since = remote.tasks().getFirst().since();
    for (int i = 0; i < 5; i++) {
      clock.advance(LEASE.dividedBy(2));
      store.heartbeat(claim, true);
    }
    assertThat(remote.tasks())
        .singleElement()
        .satisfies(
            task -> {
              assertThat(task.job()).isEqualTo(claim.job());
              assertThat(task.type()).isEqualTo("resize");
              assertThat(task.worker()).isEqualTo("w");
              assertThat(task.since()).isEqualTo(since);
            });
    store.complete(claim, TaskResult.of("x"));
    assertThat(remote.tasks()).isEmpty();
  }
}
