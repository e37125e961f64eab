package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.Caller.Held;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.wire.JobFilter;
import dev.millrace.core.task.TaskState;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That what is measured over HTTP is what it says; nothing here depends on time. */
@Timeout(120)
class ApiBenchTest {
  private static final int REQUESTS = 12;

  @AfterAll
  static void clean() throws Exception {
    Scratch.clean();
  }

  @ParameterizedTest
  @ValueSource(strings = {"raw", "sdk"})
  void eachRequestThatIsMeasuredMakesOneJob(String client) throws Exception {
    try (Host host = Host.open(false);
        Supply supply = new Supply(host.api());
        Crowd crowd = Crowd.open(client, host, 4);
        MillraceClient reader = MillraceClient.at(host.api())) {
      new HttpBench(crowd, supply, REQUESTS).series().runWarm(1);

      // Open jobs, prompts, the one of many tasks, those of one task; none by the empty handler.
      assertThat(reader.jobs().all(JobFilter.all())).hasSize(3 * REQUESTS + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"raw", "sdk"})
  void callerCompletesTheTaskThatItHolds(String client) throws Exception {
    try (Host host = Host.open(false);
        Supply supply = new Supply(host.api());
        Crowd crowd = Crowd.open(client, host, 1);
        MillraceClient reader = MillraceClient.at(host.api())) {
      Supply.Tasks tasks = supply.oneJob(1, 1);
      crowd.each(
          caller -> {
            Held held = caller.dequeue(tasks.type(), 0).orElseThrow();
            assertThat(caller.dequeue(tasks.type(), 0)).isEqualTo(Optional.empty());
            assertThat(supply.unfinished(tasks)).isNotEmpty();
            caller.complete(held);
            assertThat(reader.tasks().get(UUID.fromString(held.task())).status())
                .isEqualTo(TaskState.COMPLETED);
          });
      assertThat(supply.unfinished(tasks)).isEmpty();
    }
  }

  @Test
  void workersClaimEachTaskOnceAndCompleteAll() throws Exception {
    try (Host host = Host.open(false);
        Supply supply = new Supply(host.api());
        Crowd crowd = Crowd.open("raw", host, 10)) {
      WorkersBench bench = new WorkersBench(crowd, supply);

      bench.work(supply.oneJob(150, 40));
      bench.work(supply.manyJobs(10, 5));

      assertThat(bench.wrong()).isEmpty();
    }
  }

  @Test
  void serverInAProcessOfItsOwnAnswersAndEnds() throws Exception {
    try (Host host = Host.open(true);
        Crowd crowd = Crowd.open("raw", host, 1);
        MillraceClient reader = MillraceClient.at(host.api())) {
      crowd.each(Caller::empty);
      crowd.each(Caller::openJob);

      assertThat(reader.jobs().all(JobFilter.all())).hasSize(1);
    }
  }
}
