package dev.millrace.store.postgres.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.random.StatusCountsCheck;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.db.Database;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two servers in processes of their own work on one queue. One is killed, one is frozen for longer
 * than its lease, and all connections are cut; then every job has ended exactly once.
 */
@Tag("slow")
class ServerChaosTest {
  private static final int JOBS = 150;

  private final Database database = EmbeddedDatabase.migrated();
  private final List<Process> servers = new ArrayList<>();

  @AfterEach
  void end() throws InterruptedException {
    for (Process server : servers) {
      server.destroyForcibly().waitFor();
    }
    EmbeddedDatabase.drop(database);
  }

  private Process start() throws IOException {
    Process server =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path").replace(";", File.pathSeparator),
                ChaosServer.class.getName(),
                database.settings().toString())
            .redirectErrorStream(true)
            .start();
    servers.add(server);
    assertThat(server.inputReader().lines().anyMatch("ready"::equals)).as("it starts").isTrue();
    Thread.ofVirtual().start(() -> server.inputReader().lines().forEach(_ -> {})); // else it blocks
    return server;
  }

  private static void signal(Process server, String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(server.pid())).start().waitFor();
  }

  private void awaitCompleted(JobReader reader, int jobs) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (reader.counts().getOrDefault(JobState.COMPLETED, 0) < jobs) {
      assertThat(System.nanoTime())
          .as("only %s of %s completed", reader.counts(), jobs)
          .isLessThan(end);
      LockSupport.parkNanos(20_000_000);
    }
  }

  @Test
  @Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void everyJobEndsOnceWhateverHappensToTheServers() throws Exception {
    try (PostgresStore store =
        PostgresStore.open(database, StoreOptions.of("test", database, false))) {
      Process first = start();
      Process second = start();
      List<JobId> ids = new ArrayList<>();
      submit(store, ids);
      awaitCompleted(store, JOBS / 4);
      first.destroyForcibly().waitFor();
      submit(store, ids);
      Process third = start();
      awaitCompleted(store, JOBS);
      signal(second, "STOP");
      submit(store, ids);
      awaitCompleted(store, 3 * JOBS); // also what the frozen one had claimed
      signal(second, "CONT");
      submit(store, ids);
      assertThat(second.waitFor(20, TimeUnit.SECONDS)).as("it is fenced, and ends").isTrue();
      assertThat(second.exitValue()).isEqualTo(3);
      database.list(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ="
              + " 'millrace' AND pid <> pg_backend_pid() AND query LIKE ?",
          row -> row.getBoolean(1),
          "%" + database.settings().schema() + "%");
      assertThat(third.isAlive()).isTrue();
      awaitCompleted(store, 4 * JOBS);
      ids.forEach(id -> requireWhole(store, id));
      StatusCountsCheck.requireCounted(store);
    }
  }

  private static void submit(JobStore store, List<JobId> ids) {
    for (int i = 0; i < JOBS; i++) {
      StageSpec first = StageSpec.of("a", List.of(TaskSpec.of("x" + i), TaskSpec.of("y" + i)));
      ids.add(
          store.submit(
              JobSpec.of(List.of(first, StageSpec.builder("b").each("{{result}}").build()))));
    }
  }

  private static void requireWhole(JobStore store, JobId id) {
    assertThat(store.state(id)).contains(JobState.COMPLETED);
    Map<List<Integer>, Integer> completions = new HashMap<>();
    long number = 0;
    for (LogEntry entry : store.events(id, 0, 1_000)) {
      assertThat(entry.number()).as("entries of %s", id).isEqualTo(++number);
      if (entry.fact() instanceof Fact.TaskChanged(int stage, int task, var event, var _)
          && event == TaskEvent.COMPLETE) {
        completions.merge(List.of(stage, task), 1, Integer::sum);
      }
    }
    assertThat(completions).hasSize(4).allSatisfy((_, times) -> assertThat(times).isEqualTo(1));
    assertThat(store.task(id, 2, 1).orElseThrow().result().text())
        .isEqualTo("<" + store.task(id, 1, 1).orElseThrow().result().text() + ">");
  }
}
