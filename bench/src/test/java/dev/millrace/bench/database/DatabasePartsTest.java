package dev.millrace.bench.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.bench.database.ClaimSampler.Cost;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.core.job.JobState;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the benchmark of the database measures what it claims, not how fast. */
@Timeout(120)
@Tag("slow")
class DatabasePartsTest {
  private static final int JOBS = 150;

  private static BenchPostgres postgres;

  @BeforeAll
  static void start() throws Exception {
    postgres = BenchPostgres.start("32MB");
  }

  @AfterAll
  static void stop() throws Exception {
    postgres.close();
    ScratchDirectories.clean();
  }

  @Test
  void theDatabaseWaitsForTheDiskAtEachCommit() throws Exception {
    assertThat(postgres.describe())
        .contains("fsync on", "synchronous_commit on", "full_page_writes on");
  }

  @ParameterizedTest
  @ValueSource(strings = {"direct", "pool"})
  void twoServersShareTheJobsAndCompleteEachOnce(String claimer) throws Exception {
    try (QueueServerProcess first = QueueServerProcess.start(postgres.settings(), claimer, 16);
        QueueServerProcess second = QueueServerProcess.start(postgres.settings(), claimer, 16)) {
      MillraceQueue queue = new MillraceQueue(postgres, List.of(first, second), JOBS, 4);

      assertThat(queue.perSecond()).isPositive(); // it fails unless all are completed, once
      assertThat(queue.perSecond()).as("again, in the same processes").isPositive();
    }
  }

  @Test
  void aJobThatIsNotCompletedIsNoticed() throws Exception {
    PostgresSettings database = postgres.newDatabase();
    NoopJobs.submit(database, 3);

    assertThatThrownBy(() -> NoopJobs.requireCompleted(database, 3))
        .hasMessageContaining("of 3 jobs, the store has")
        .hasMessageContaining("PENDING=3");

    assertThatThrownBy(() -> JobHistory.complete(database, 2))
        .hasMessage("completed 5 of 2"); // three were there before
    NoopJobs.requireCompleted(database, 5);
    postgres.drop(database);
  }

  @Test
  void aSampleClaimsAndCompletesOneBatch() throws Exception {
    PostgresSettings database = postgres.newDatabase();
    NoopJobs.submit(database, ClaimSampler.BATCH + 7);
    try (ClaimSampler sampler = new ClaimSampler(database);
        PostgresDatabase reader = PostgresDatabase.open(database)) {
      Cost cost = sampler.sample();

      assertThat(cost.millis()).isGreaterThan(cost.claimMillis());
      assertThat(reader.reader().counts())
          .containsAllEntriesOf(
              Map.of(JobState.COMPLETED, ClaimSampler.BATCH, JobState.PENDING, 7));
      assertThatThrownBy(sampler::sample).hasMessageContaining("only 7 were left");
    }
    postgres.drop(database);
  }

  @Test
  void aSlowClaimIsJudgedThoughItsCompletionIsQuick() {
    ClaimCosts costs = new ClaimCosts("base", "other");
    for (int i = 0; i < 3; i++) {
      costs.add(new Cost(1, 9), new Cost(3, 9));
    }
    assertThat(costs.isWithinGoal(Cost::millis)).isTrue();
    assertThat(costs.isWithinGoal(Cost::claimMillis)).isFalse();
  }

  @Test
  void aHeldSnapshotIsComparedWithAnEmptyTable() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      new HeldSnapshotComparison(postgres, JOBS, 2).run();
    } finally {
      System.setOut(before);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .containsOnlyOnce("jobs submitted")
        .contains("an empty table", "150 completions, held snapshot", "the goal of 1.5x")
        .contains("transactions old");
  }

  @Test
  void theOtherQueuesDoAllTheirJobs() throws Exception {
    assertThat(new BareProbe(postgres, JOBS, 2).perSecond()).isPositive();
    assertThat(new DbSchedulerPeer(postgres, JOBS).perSecond()).isPositive();
  }

  @Test
  void graphileWorkerIsLeftOutWhereItIsNotInstalled() throws Exception {
    assertThat(GraphileWorkerPeer.start(postgres, JOBS, null)).isEmpty();
    assertThat(
            GraphileWorkerPeer.start(
                postgres, JOBS, ScratchDirectories.fresh("nothing").toString()))
        .isEmpty();
  }
}
