package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import dev.millrace.store.fs.internal.owner.FsStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that other programs submitted, and jobs that people move and delete by hand. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ExternalChangesTest extends RealWorkspaceCase {
  private static final JobId LONG_ID = new JobId("00001736700000000000_4090_000000");
  private static final JobId SHORT_ID = new JobId("1736699999_12345_0");
  private static final String META =
      "{\n  \"submitted_at\": \"2025-01-12T16:40:00.000000Z\",\n  \"mode\": \"text\"\n}\n";

  private void move(JobId id, JobState from, JobState to) throws IOException {
    Files.move(place(from, id), place(to, id));
  }

  private static void delete(Path tree) throws IOException {
    try (var files = Files.walk(tree)) {
      for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void aJobOfNrvnaIsProcessedInItsOrder() throws IOException {
    writeJobDirectory(JobState.PENDING, LONG_ID, "prompt.txt", "later", "meta.json", META);
    writeJobDirectory(JobState.PENDING, SHORT_ID, "prompt.txt", "first");
    JobStore store = own();
    assertThat(store.list(JobReader.Query.all())).containsExactly(SHORT_ID, LONG_ID);
    assertThat(claim(store, 1).getFirst().inputText()).isEqualTo("first");
    close(store);
    JobStore next = own();
    completeAll(next);
    for (JobId id : List.of(SHORT_ID, LONG_ID)) {
      Path done = place(JobState.COMPLETED, id);
      assertThat(done.resolve("result.txt")).content().startsWith("<").doesNotEndWith("\n");
      assertThat(done.resolve("meta.json")).content().contains("\"status\": \"done\"");
      WorkspaceInvariants.logAddsUp(next, id);
    }
  }

  @Test
  void aJobThatAppearsWhileTheOwnerRunsIsFound() throws IOException {
    JobStore store = own();
    Path staged = writeJobDirectory(JobState.CREATED, SHORT_ID, "prompt.txt", "x");
    Files.move(staged, place(JobState.PENDING, SHORT_ID));
    await(
        "the job",
        () -> {
          claim(store, 1).forEach(claim -> complete(store, claim));
          return store.state(SHORT_ID).equals(Optional.of(JobState.COMPLETED));
        });
    assertThat(result(store, SHORT_ID)).isEqualTo("<x>");
  }

  @Test
  void aJobThatAnotherDaemonFinishedCanBeRead() throws IOException {
    writeJobDirectory(
        JobState.COMPLETED, LONG_ID, "prompt.txt", "x", "meta.json", META, "result.txt", "y");
    writeJobDirectory(JobState.FAILED, SHORT_ID, "prompt.txt", "x", "error.txt", "out of luck\n");
    Flow flow = workspace.flow();
    Flow.Job done = flow.get(LONG_ID).orElseThrow();
    assertThat(done.status()).isEqualTo(Flow.Status.DONE);
    assertThat(done.result()).isEqualTo("y");
    Flow.Job failed = flow.get(SHORT_ID).orElseThrow();
    assertThat(failed.status()).isEqualTo(Flow.Status.FAILED);
    assertThat(failed.error()).isEqualTo("out of luck");
    WorkspaceInvariants.logAddsUp(workspace.reader(), LONG_ID);
    WorkspaceInvariants.logAddsUp(workspace.reader(), SHORT_ID);
    assertThat(own().prune(Instant.now(), java.util.Set.of(JobState.COMPLETED))).isEqualTo(1);
  }

  @Test
  void aJobThatAnotherDaemonLeftRunningIsRecovered() throws IOException {
    writeJobDirectory(JobState.IN_PROGRESS, LONG_ID, "prompt.txt", "x", "meta.json", META);
    JobStore store = own();
    completeAll(store);
    assertThat(result(store, LONG_ID)).isEqualTo("<x>");
  }

  @Test
  void aWaitingJobThatIsMovedToCancelledIsAborted() throws IOException {
    JobId before = workspace.submitter().submit(TestJobSpecs.plain("before"));
    move(before, JobState.PENDING, JobState.ABORTED);
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.plain("x"));
    JobId stays = store.submit(TestJobSpecs.plain("y"));
    move(id, JobState.PENDING, JobState.ABORTED);
    assertThat(claim(store, 10)).extracting(Claim::job).containsExactly(stays);
    for (JobId moved : List.of(before, id)) {
      assertThat(store.find(moved).orElseThrow().state()).isEqualTo(JobState.ABORTED);
      assertThat(store.tasks(moved, 1, 1, 1).getFirst().state()).isEqualTo(TaskState.ABORTED);
      assertThat(store.events(moved, 0, 9))
          .extracting(LogEntry::fact)
          .last()
          .isInstanceOfSatisfying(
              Fact.JobChanged.class,
              fact -> {
                assertThat(fact.event()).isEqualTo(JobEvent.ABORT);
                assertThat(fact.cause().comment()).isEqualTo("moved by hand");
              });
    }
    await(
        "the end of its log",
        () -> Files.exists(place(JobState.ABORTED, id).resolve("events.jsonl")));
  }

  @Test
  void aRunningJobThatIsMovedToPausedWithoutAnOwnerIsPaused() throws IOException {
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")));
    Claim stale = claim(store, 1).getFirst();
    close(store);
    move(id, JobState.IN_PROGRESS, JobState.PAUSED);
    JobStore next = own();
    assertThat(next.state(id)).contains(JobState.PAUSED);
    assertThat(claim(next, 10)).isEmpty();
    assertThat(next.resume(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(complete(next, stale)).isInstanceOf(Outcome.Fenced.class);
    completeAll(next);
    assertThat(next.state(id)).contains(JobState.COMPLETED);
    WorkspaceInvariants.logAddsUp(next, id);
  }

  @Test
  void aPausedJobThatIsMovedBackToReadyContinues() throws IOException {
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.held(TestJobSpecs.plain("x")));
    close(store);
    move(id, JobState.PAUSED, JobState.PENDING);
    JobStore next = own();
    completeAll(next);
    assertThat(result(next, id)).isEqualTo("<x>");
    WorkspaceInvariants.logAddsUp(next, id);
  }

  @Test
  void aRunningJobThatIsDeletedByHandIsDropped() throws IOException {
    JobStore store = own();
    JobId deleted = store.submit(TestJobSpecs.plain("x"));
    JobId batch = store.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")));
    JobId stays = store.submit(TestJobSpecs.plain("y"));
    List<Claim> claims = claim(store, 10);
    delete(place(JobState.IN_PROGRESS, deleted));
    delete(place(JobState.IN_PROGRESS, batch));
    for (Claim claim : claims) {
      assertThat(complete(store, claim))
          .isInstanceOf(claim.job().equals(stays) ? Outcome.Done.class : Outcome.Missing.class);
    }
    assertThat(store.heartbeat(claims.getFirst(), true))
        .isEqualTo(dev.millrace.core.store.ClaimSignal.LOST);
    assertThat(log.lines()).anyMatch(line -> line.contains(deleted + " has vanished"));
    assertThat(store.state(deleted)).isEmpty();
    assertThat(store.pause(deleted, SimulatedStore.ANNA)).isInstanceOf(Outcome.Missing.class);
    assertThat(store.sweep()).isZero();
    assertThat(store.isIdle(java.util.Set.of("generate", "a"))).isTrue();
  }

  @Test
  void aWaitingJobThatIsDeletedByHandIsNotClaimed() throws IOException {
    JobStore store = own();
    JobId deleted = store.submit(TestJobSpecs.plain("x"));
    JobId stays = store.submit(TestJobSpecs.plain("y"));
    delete(place(JobState.PENDING, deleted));
    assertThat(claim(store, 10)).extracting(Claim::job).containsExactly(stays);
  }

  @Test
  void oneOfManyThatOpenAWorkspaceAtOnceOwnsIt() throws InterruptedException {
    for (int round = 0; round < 10; round++) {
      CountDownLatch start = new CountDownLatch(1);
      List<Optional<JobStore>> stores = java.util.Collections.synchronizedList(new ArrayList<>());
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        start.await();
                      } catch (InterruptedException e) {
                        return;
                      }
                      stores.add(Workspace.open(root).own());
                    }));
      }
      start.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
      List<JobStore> owners = stores.stream().flatMap(Optional::stream).toList();
      assertThat(stores).hasSize(8);
      assertThat(owners).hasSize(1);
      assertThat(workspace.owner().held()).isTrue();
      assertThat(workspace.own()).isEmpty();
      owners.getFirst().close();
      assertThat(workspace.owner().held()).isFalse();
    }
    close(own());
  }

  @Test
  void aClockThatIsSetBackAnHourDoesNoHarm() {
    ManualClock clock = new ManualClock();
    FsSettings settings =
        new FsSettings(
            root, new RealDisk(root), clock, new JobIdGenerator(clock, 7)::next, () -> 1L << 63);
    try (FsStore store = FsStore.tryOpen(settings).orElseThrow()) {
      JobId first =
          store.submit(TestJobSpecs.with(TestJobSpecs.attempts(3), TestJobSpecs.plain("x")));
      Claim claim = claim(store, 1).getFirst();
      clock.jump(Duration.ofHours(-1));
      JobId second = store.submit(TestJobSpecs.plain("y"));
      assertThat(second).as("ids never run back").isGreaterThan(first);
      assertThat(store.fail(claim, Failure.of("broken"))).isEqualTo(Outcome.DONE);
      WorkspaceInvariants.logAddsUp(store, first); // nor do a log's times
      clock.advance(Duration.ofMinutes(1));
      assertThat(claim(store, 10))
          .as("and no backoff lasts an hour")
          .extracting(Claim::job)
          .containsExactlyInAnyOrder(first, second);
    }
  }
}
