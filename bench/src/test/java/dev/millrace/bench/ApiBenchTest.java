package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the HTTP benchmarks measure what they claim; nothing here depends on time. */
@Timeout(120)
@Tag("slow")
class ApiBenchTest {
  private static final int REQUESTS = 12;

  @AfterAll
  static void clean() throws Exception {
    ScratchDirectories.clean();
  }

  @ParameterizedTest
  @ValueSource(strings = {"raw", "sdk"})
  void eachMeasuredRequestCreatesOneJob(String client) throws Exception {
    try (BenchServer host = BenchServer.open(false);
        PreparedJobs preparedJobs = new PreparedJobs(host.api());
        ClientPool clients = ClientPool.open(client, host, 4);
        MillraceClient reader = MillraceClient.at(host.api())) {
      new HttpBench(clients, preparedJobs, REQUESTS).series().runWarm(1);

      // Open jobs, those with a key, prompts, twice the one of many tasks and those of one task;
      // none by the empty handler.
      assertThat(reader.jobs().all(JobFilter.all())).hasSize(5 * REQUESTS + 2);
    }
  }

  @Test
  void completionsAreMeasuredInRoundsOfEitherOrder() throws Exception {
    try (BenchServer host = BenchServer.open(false);
        PreparedJobs preparedJobs = new PreparedJobs(host.api());
        ClientPool clients = ClientPool.open("raw", host, 4);
        MillraceClient reader = MillraceClient.at(host.api())) {
      new HttpBench(clients, preparedJobs, REQUESTS).series().runWarm(2);

      long completed = 0;
      for (ApiJob job : reader.jobs().all(JobFilter.all()).toList()) {
        for (ApiStage stage : reader.jobs().get(job.id(), true).stages()) {
          completed += stage.summary().completed();
        }
      }
      assertThat(completed).as("of one job and of many, in two rounds").isEqualTo(4 * REQUESTS);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"raw", "sdk"})
  void aClientCompletesTheTaskThatItClaimed(String client) throws Exception {
    try (BenchServer host = BenchServer.open(false);
        PreparedJobs preparedJobs = new PreparedJobs(host.api());
        ClientPool clients = ClientPool.open(client, host, 1);
        MillraceClient reader = MillraceClient.at(host.api())) {
      PreparedJobs.Tasks tasks = preparedJobs.oneJob(1, 1);
      clients.each(
          each -> {
            HeldTask held = each.dequeue(tasks.type(), 0).orElseThrow();
            assertThat(each.dequeue(tasks.type(), 0)).isEqualTo(Optional.empty());
            assertThat(preparedJobs.unfinished(tasks)).isNotEmpty();
            each.complete(held);
            assertThat(reader.tasks().get(UUID.fromString(held.task())).status())
                .isEqualTo(TaskState.COMPLETED);
          });
      assertThat(preparedJobs.unfinished(tasks)).isEmpty();
    }
  }

  @Test
  void workersClaimEachTaskOnceAndCompleteAll() throws Exception {
    try (BenchServer host = BenchServer.open(false);
        PreparedJobs preparedJobs = new PreparedJobs(host.api());
        ClientPool clients = ClientPool.open("raw", host, 10)) {
      WorkersBench bench = new WorkersBench(clients, preparedJobs);

      bench.work(preparedJobs.oneJob(150, 40));
      bench.work(preparedJobs.manyJobs(10, 5));

      assertThat(bench.wrong()).isEmpty();
    }
  }

  @Test
  void aServerInItsOwnProcessRespondsAndEnds() throws Exception {
    try (BenchServer host = BenchServer.open(true);
        ClientPool clients = ClientPool.open("raw", host, 1);
        MillraceClient reader = MillraceClient.at(host.api())) {
      clients.each(BenchClient::empty);
      clients.each(BenchClient::openJob);

      assertThat(reader.jobs().all(JobFilter.all())).hasSize(1);
    }
  }
}
