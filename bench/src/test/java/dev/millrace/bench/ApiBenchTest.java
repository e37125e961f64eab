package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.http.BenchClient;
import dev.millrace.bench.http.BenchClient.HeldTask;
import dev.millrace.bench.http.BenchServer;
import dev.millrace.bench.http.ClientPool;
import dev.millrace.bench.http.PreparedJobs;
import dev.millrace.client.JobFilter;
import dev.millrace.client.MillraceClient;
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
    ScratchDirectories.clean();
  }

  @ParameterizedTest
  @ValueSource(strings = {"raw", "sdk"})
  void eachRequestThatIsMeasuredMakesOneJob(String client) throws Exception {
    try (BenchServer host = BenchServer.open(false);
        PreparedJobs supply = new PreparedJobs(host.api());
        ClientPool crowd = ClientPool.open(client, host, 4);
        MillraceClient reader = MillraceClient.at(host.api())) {
      new HttpBench(crowd, supply, REQUESTS).series().runWarm(1);

      // Open jobs, prompts, the one of many tasks, those of one task; none by the empty handler.
      assertThat(reader.jobs().all(JobFilter.all())).hasSize(3 * REQUESTS + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"raw", "sdk"})
  void callerCompletesTheTaskThatItHolds(String client) throws Exception {
    try (BenchServer host = BenchServer.open(false);
        PreparedJobs supply = new PreparedJobs(host.api());
        ClientPool crowd = ClientPool.open(client, host, 1);
        MillraceClient reader = MillraceClient.at(host.api())) {
      PreparedJobs.Tasks tasks = supply.oneJob(1, 1);
      crowd.each(
          caller -> {
            HeldTask held = caller.dequeue(tasks.type(), 0).orElseThrow();
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
    try (BenchServer host = BenchServer.open(false);
        PreparedJobs supply = new PreparedJobs(host.api());
        ClientPool crowd = ClientPool.open("raw", host, 10)) {
      WorkersBench bench = new WorkersBench(crowd, supply);

      bench.work(supply.oneJob(150, 40));
      bench.work(supply.manyJobs(10, 5));

      assertThat(bench.wrong()).isEmpty();
    }
  }

  @Test
  void serverInAProcessOfItsOwnAnswersAndEnds() throws Exception {
    try (BenchServer host = BenchServer.open(true);
        ClientPool crowd = ClientPool.open("raw", host, 1);
        MillraceClient reader = MillraceClient.at(host.api())) {
      crowd.each(BenchClient::empty);
      crowd.each(BenchClient::openJob);

      assertThat(reader.jobs().all(JobFilter.all())).hasSize(1);
    }
  }
}
