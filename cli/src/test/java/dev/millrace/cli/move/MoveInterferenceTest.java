package dev.millrace.cli.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.move.JobMover;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.MoveListener;
import dev.millrace.core.move.MoveReport;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.TaskResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others do to both stores while jobs move. */
@Tag("slow")
class MoveInterferenceTest {
  private static MoveDatabase database;

  @TempDir Path dir;

  @BeforeAll
  static void start() {
    database = new MoveDatabase();
  }

  @AfterAll
  static void stop() throws IOException {
    database.close();
  }

  private MoveSide side(String kind, String name) {
    return kind.equals("fs")
        ? MoveSide.workspace(dir.resolve(name))
        : MoveSide.database(database.newUrl());
  }

  /** Does something when the first job has moved, on the thread of the mover. */
  private static MoveListener afterTheFirst(Runnable action) {
    return new MoveListener() {
      private boolean acted;

      @Override
      public void started(long jobs) {}

      @Override
      public void done(JobId id) {
        if (!acted) {
          acted = true;
          action.run();
        }
      }
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"fs", "pg"})
  void commandsMayComeMeanwhileAndServersMayNot(String kind) {
    MoveSide from = side(kind, "from");
    MoveSide to = side("fs", "to");
    InProcessCli cli = new InProcessCli(dir);
    List<JobId> jobs = new ArrayList<>();
    try (JobStore store = from.serve()) {
      for (int i = 0; i < 3; i++) {
        jobs.add(store.submit(JobSpec.prompt("generate", "job " + i)));
      }
    }
    JobId last = jobs.getLast();
    List<String> late = new ArrayList<>();
    MoveReport report;
    try (MovableStore source = from.asSource();
        MovableStore target = to.asTarget()) {
      Runnable meanwhile =
          () -> {
            assertThat(cli.run("abort", from.name(), last.value()).status()).isZero();
            late.add(cli.submit(from.name(), "late"));
            assertThat(cli.run("move", from.name(), dir.resolve("third").toString()).status())
                .isEqualTo(1);
            assertThatThrownBy(from::serve).isInstanceOf(RuntimeException.class);
          };
      report = new JobMover(source, target, afterTheFirst(meanwhile)).run(false);
    }
    assertThat(report.left()).isEmpty();
    assertThat(report.moved()).isEqualTo(4);
    assertThat(to.reader().state(last)).contains(JobState.ABORTED);
    assertThat(to.reader().state(new JobId(late.getFirst()))).contains(JobState.PENDING);
    assertThat(from.reader().list(Query.all())).isEmpty();
    from.close();
  }

  @Test
  void aServedDatabaseTakesJobsAsTheyCome() {
    MoveSide from = side("fs", "from");
    MoveSide to = side("pg", "to");
    try (JobStore store = from.serve()) {
      for (int i = 0; i < 3; i++) {
        store.submit(JobSpec.prompt("generate", "job " + i));
      }
    }
    ClaimRequest request = new ClaimRequest(Set.of("generate"), 10, "worker", null);
    List<JobId> done = new ArrayList<>();
    try (JobStore server = to.serve();
        MovableStore source = from.asSource();
        MovableStore target = to.asTarget()) {
      MoveListener working =
          new MoveListener() {
            @Override
            public void started(long jobs) {}

            @Override
            public void done(JobId id) {
              Claim claim = server.claim(request).getFirst();
              assertThat(claim.job()).isEqualTo(id);
              server.complete(claim, TaskResult.of("x"));
              server.delete(id);
              done.add(id);
            }
          };
      MoveReport report = new JobMover(source, target, working).run(true);
      assertThat(report.moved()).isEqualTo(3);
      assertThat(report.deleted()).isEqualTo(3);
    }
    assertThat(done).hasSize(3);
    to.close();
  }

  /** It arrived, ran and was deleted before the mark: it must not run again. */
  @Test
  void aJobThatArrivedAndWasDeletedIsNotCopiedAgain() {
    MoveSide from = side("fs", "from");
    MoveSide to = side("pg", "to");
    JobId id;
    try (JobStore store = from.serve()) {
      id = store.submit(JobSpec.prompt("generate", "once"));
    }
    for (int crashAt = 0; to.reader().state(id).isEmpty(); crashAt++) {
      CrashingStore.Steps steps = new CrashingStore.Steps(crashAt);
      try (MovableStore source = from.asSource();
          MovableStore target = to.asTarget()) {
        new JobMover(
                new CrashingStore(source, steps),
                new CrashingStore(target, steps),
                MoveListener.NONE)
            .run(false);
      } catch (CrashingStore.Crash e) {
        // until it is published and not marked
      }
    }
    try (JobStore server = to.serve()) {
      Claim claim =
          server.claim(new ClaimRequest(Set.of("generate"), 1, "worker", null)).getFirst();
      server.complete(claim, TaskResult.of("done"));
      server.delete(id);
    }
    MoveReport report = MoveContractTest.move(from, to, false);
    assertThat(report.alreadyThere()).isEqualTo(1);
    assertThat(report.moved()).isZero();
    assertThat(to.reader().state(id)).isEmpty();
    to.close();
  }
}
