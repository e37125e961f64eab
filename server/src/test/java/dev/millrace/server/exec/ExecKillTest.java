package dev.millrace.server.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.TaskState;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Server;
import dev.millrace.server.TaskListener;
import dev.millrace.server.TaskOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All processes that a program started end with its task. */
@Timeout(60)
@Tag("slow")
class ExecKillTest {
  private static final Cause USER = Cause.user("ann", null);

  /**
   * Starts a child in the background and an orphaned grandchild; prints their numbers on stderr.
   */
  private static final String FAMILY =
      "echo half; echo pid1 $$ >&2; sleep 301 & echo pid2 $! >&2;"
          + " (sleep 302 & echo pid3 $! >&2); sleep 303";

  private final InMemoryServer inMemory = new InMemoryServer();
  private final BlockingQueue<TaskOutcome> outcomes = new LinkedBlockingQueue<>();
  private final TaskListener listener =
      new TaskListener() {
        @Override
        public void finished(Claim claim, TaskOutcome outcome, Outcome answer) {
          outcomes.add(outcome);
        }
      };

  @AfterEach
  void close() {
    inMemory.close();
  }

  private Server start(String command, Duration grace) {
    return start(new ExecWorker("run", command, ExecLimits.DEFAULT.withGrace(grace)));
  }

  private Server start(ExecWorker worker) {
    return inMemory.start(inMemory.builder(worker).listener(listener));
  }

  private ProcessHandle process(JobId job, String name) throws InterruptedException {
    long pid = Long.parseLong(inMemory.awaitLine(job, name + " "));
    return ProcessHandle.of(pid).orElseThrow();
  }

  private TaskOutcome outcome() throws InterruptedException {
    TaskOutcome outcome = outcomes.poll(30, TimeUnit.SECONDS);
    assertThat(outcome).isNotNull();
    return outcome;
  }

  private static void assertEnds(ProcessHandle... processes) throws Exception {
    for (ProcessHandle process : processes) {
      process.onExit().get(20, TimeUnit.SECONDS);
    }
  }

  /** The leader, once all processes of {@link #FAMILY} run. */
  private ProcessHandle family(JobId job) throws InterruptedException {
    ProcessHandle leader = process(job, "pid1");
    process(job, "pid2");
    process(job, "pid3");
    assertThat(ProcessGroupMembers.anyAlive(leader.pid())).isTrue();
    return leader;
  }

  private static void assertNoProcessIn(ProcessHandle leader) {
    assertThat(ProcessGroupMembers.anyAlive(leader.pid())).as("group %s", leader).isFalse();
  }

  @Test
  void cancelEndsTheWholeGroup() throws Exception {
    start(FAMILY, Duration.ofSeconds(20));
    JobId job = inMemory.submit("run", "x");
    ProcessHandle leader = family(job);
    long start = System.nanoTime();
    inMemory.store.abort(job, USER);

    assertThat(outcome())
        .isInstanceOfSatisfying(
            TaskOutcome.Failed.class,
            failed -> assertThat(failed.failure().partial()).isEqualTo("half\n"));
    assertNoProcessIn(leader);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    assertThat(inMemory.flow.status(job)).isEqualTo(Flow.Status.CANCELLED);
  }

  @Test
  void programThatIgnoresTermIsKilled() throws Exception {
    start("trap '' TERM; echo pid1 $$ >&2; while :; do sleep 300; done", Duration.ofMillis(200));
    JobId job = inMemory.submit("run", "x");
    ProcessHandle stubborn = process(job, "pid1");
    inMemory.store.abort(job, USER);

    assertThat(outcome()).isInstanceOf(TaskOutcome.Failed.class);
    assertNoProcessIn(stubborn);
  }

  @Test
  void programMayCleanUpOnTerm() throws Exception {
    start(
        "trap 'echo cleaned up; exit 1' TERM; echo pid1 $$ >&2; while :; do sleep 0.1; done",
        Duration.ofSeconds(20));
    JobId job = inMemory.submit("run", "x");
    ProcessHandle leader = process(job, "pid1");
    inMemory.store.abort(job, USER);

    assertThat(outcome())
        .isInstanceOfSatisfying(
            TaskOutcome.Failed.class,
            failed -> assertThat(failed.failure().partial()).isEqualTo("cleaned up\n"));
    assertNoProcessIn(leader);
  }

  @Test
  void runTimeoutEndsTheWholeGroup() throws Exception {
    ManualClock clock = new ManualClock();
    inMemory.start(inMemory.builder(new ExecWorker("run", FAMILY)).listener(listener).clock(clock));
    JobId job = inMemory.submit("run", InMemoryServer.runTimeout(Duration.ofMinutes(5)), "x");
    ProcessHandle leader = family(job);
    clock.advance(Duration.ofMinutes(6));

    assertThat(inMemory.await(job).error()).isEqualTo("run timeout: not finished within PT5M");
    assertNoProcessIn(leader);
  }

  @Test
  void stopNowEndsTheGroupAndReleasesTheTask() throws Exception {
    Server server = start(FAMILY, Duration.ofSeconds(2));
    JobId job = inMemory.submit("run", "x");
    ProcessHandle leader = family(job);
    server.stopNow();

    assertNoProcessIn(leader);
    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.RETRIED);
    assertThat(inMemory.task(job).attempts()).isZero();
  }

  @Test
  void brokenOutputLimitEndsTheWholeGroup() throws Exception {
    start("echo pid1 $$ >&2; sleep 301 & yes", Duration.ofSeconds(2));
    JobId job = inMemory.submit("run", "x");
    ProcessHandle leader = process(job, "pid1");

    assertThat(inMemory.await(job).error()).startsWith("printed more than 16777216 bytes");
    assertNoProcessIn(leader);
  }

  @Test
  void theProgramOfAPausedJobRunsOn() throws Exception {
    start("echo pid1 $$ >&2; read line; sleep 0.5; echo \"$line\"", Duration.ofSeconds(2));
    JobId job = inMemory.submit("run", "hello\n");
    process(job, "pid1");
    inMemory.store.pause(job, USER);
    assertThat(outcome()).isEqualTo(TaskOutcome.done("hello\n"));
    inMemory.store.resume(job, USER);

    assertThat(inMemory.await(job).result()).isEqualTo("hello\n");
  }

  @Test
  void processesThatAProgramLeavesBehindEndWithIt() throws Exception {
    start("echo pid1 $$ >&2; sleep 301 & echo done", Duration.ofSeconds(20));
    JobId job = inMemory.submit("run", "x");
    long group = Long.parseLong(inMemory.awaitLine(job, "pid1 "));

    assertThat(inMemory.await(job).result()).isEqualTo("done\n");
    assertThat(ProcessGroupMembers.anyAlive(group)).isFalse();
  }

  @Test
  void aProcessInAnotherSessionDelaysNothing() throws Exception {
    start(
        "setsid sh -c 'echo pid2 $$ >&2; exec sleep 301' & sleep 0.2; echo done",
        Duration.ofMillis(300));
    JobId job = inMemory.submit("run", "x");
    ProcessHandle left = process(job, "pid2");

    assertThat(inMemory.await(job).result()).isEqualTo("done\n");
    assertThat(left.isAlive()).isTrue();
    left.destroyForcibly();
    assertEnds(left);
  }

  @Test
  void withoutSetsidDescendantsAreStillEnded() throws Exception {
    start(
        new ExecWorker(
            "run",
            "echo half; echo pid1 $$ >&2; sleep 301 & echo pid2 $! >&2; sleep 302",
            ExecLimits.DEFAULT,
            RunningPrograms.unrecorded(),
            ExecEnvironment.of(Map.of("PATH", "/nowhere"), List.of("PATH=/usr/bin:/bin"))));
    JobId job = inMemory.submit("run", "x");
    ProcessHandle leader = process(job, "pid1");
    ProcessHandle child = process(job, "pid2");
    inMemory.store.abort(job, USER);

    assertEnds(leader, child);
  }
}
