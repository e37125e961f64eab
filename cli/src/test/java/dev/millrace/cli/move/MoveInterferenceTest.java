package dev.millrace.cli.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.move.JobAssembly;
import dev.millrace.core.move.JobMover;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.MoveListener;
import dev.millrace.core.move.MoveReport;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.TaskResult;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others do to both stores while jobs move. */
@Tag("slow")
class MoveInterferenceTest {
  @TempDir Path dir;

  private MoveSide side(String kind, String name) {
    return kind.equals("fs")
        ? MoveSide.workspace(dir.resolve(name))
        : MoveSide.database(MoveDatabase.newUrl());
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

  @ParameterizedTest
  @ValueSource(strings = {"fs", "pg"})
  void aCopyThatDiffersIsNotPublished(String kind) {
    MoveSide from = side("fs", "from");
    MoveSide to = side(kind, "to");
    JobId id;
    try (JobStore store = from.serve()) {
      id = store.submit(JobSpec.prompt("generate", "x"));
      Claim claim = store.claim(new ClaimRequest(Set.of("generate"), 1, "worker", null)).getFirst();
      store.complete(claim, TaskResult.of("right"));
    }
    try (MovableStore source = from.asSource();
        MovableStore target = to.asTarget()) {
      MoveReport report = new JobMover(source, forging(target), MoveListener.NONE).run(false);
      assertThat(report.moved()).isZero();
      assertThat(report.left().get(id)).contains("result: the copy has another content");
    }
    assertThat(from.reader().task(id, 1, 1).orElseThrow().result().text()).isEqualTo("right");
    assertThat(to.reader().list(Query.all())).isEmpty();
    to.close();
  }

  /** A store that writes another result than it was given. */
  private static MovableStore forging(MovableStore store) {
    return proxy(
        MovableStore.class,
        store,
        (method, answer) -> method.equals("assemble") ? forging((JobAssembly) answer) : answer);
  }

  private static JobAssembly forging(JobAssembly assembly) {
    return (JobAssembly)
        Proxy.newProxyInstance(
            JobAssembly.class.getClassLoader(),
            new Class<?>[] {JobAssembly.class},
            (_, method, args) -> {
              if (args != null
                  && args[0] instanceof JobRecord.Result(int stage, int task, int attempt, _)) {
                args[0] = new JobRecord.Result(stage, task, attempt, TaskResult.of("wrong"));
              }
              return method.invoke(assembly, args);
            });
  }

  private interface Answer {
    Object of(String method, Object answer);
  }

  private static <T> T proxy(Class<T> type, T real, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, args) -> answer.of(method.getName(), method.invoke(real, args))));
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
