package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.WorkListener;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * An Error in everything that callers give a store: the clock, ids, random numbers, watchers and
 * listeners, and the metadata, terms and receipts while they are written.
 */
class InjectedErrorTest {
  private static final Logger LOG = Logger.getLogger("dev.millrace.store");
  private static final Cause ANNA = Cause.user("anna", null);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @BeforeAll
  static void silenceTheLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void restoreTheLog() {
    LOG.setLevel(null);
  }

  /** Counts calls, and throws at one of them. */
  private static final class Trap {
    private int calls;
    private int at;
    private Error error = new OutOfMemoryError("unused");

    void step() {
      if (++calls == at) {
        throw error;
      }
    }
  }

  /** A list in a user's JSON whose reading throws. */
  private static final class TrappedList extends AbstractList<Object> {
    private final transient Trap trap;

    TrappedList(Trap trap) {
      this.trap = trap;
    }

    @Override
    public Object get(int index) {
      trap.step();
      return index;
    }

    @Override
    public int size() {
      return 2;
    }
  }

  private static final class TrappedClock extends ProcessClock {
    private final ManualClock clock;
    private final Trap trap;

    TrappedClock(ManualClock clock, Trap trap) {
      this.clock = clock;
      this.trap = trap;
    }

    @Override
    public long nanoTime() {
      trap.step();
      return clock.nanoTime();
    }

    @Override
    public Instant instant() {
      trap.step();
      return clock.instant();
    }

    @Override
    public ZoneId getZone() {
      return clock.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  /** A store whose callers fail at one point. */
  private static final class Run {
    final Trap trap = new Trap();
    final ManualClock clock = new ManualClock();
    final SimDisk disk = new SimDisk();
    final JobIdGenerator ids = new JobIdGenerator(clock, 7);
    final FsStore store =
        FsStore.openUnlocked(
            new FsSettings(
                SimulatedStore.ROOT,
                disk,
                new TrappedClock(clock, trap),
                () -> {
                  trap.step();
                  return ids.next();
                },
                () -> {
                  trap.step();
                  return 1L << 63;
                }));
    final Map<Claim, String> acknowledged = new HashMap<>();
    final List<JobId> submitted = new ArrayList<>();

    Run() {
      store.onChange(_ -> trap.step());
      store.onLever(_ -> trap.step());
      store.onWork(
          new WorkListener() {
            @Override
            public void claimed(Claim claim) {
              trap.step();
            }

            @Override
            public void answered(Claim claim, Answer answer, Outcome outcome) {
              trap.step();
            }
          });
    }

    /** Asks again after an Error, which is thrown once. */
    <T> T ask(Supplier<T> verb) {
      try {
        return verb.get();
      } catch (Error e) {
        if (e != trap.error) {
          throw e;
        }
        return verb.get();
      }
    }

    JsonObject json() {
      return JsonObject.create().put("list", new TrappedList(trap));
    }

    List<Claim> claim(int limit) {
      return ask(
          () -> store.claim(new ClaimRequest(SimulatedStore.TYPES, limit, "worker", MINUTE)));
    }

    void complete(Claim claim) {
      TaskResult result = TaskResult.of("<" + claim.inputText() + ">").withReceipt(json());
      if (ask(() -> store.complete(claim, result)).isDone()) {
        acknowledged.put(claim, result.text());
      }
    }
  }

  private static void useAll(Run run) {
    run.submitted.add(run.ask(() -> run.store.submit(TestJobSpecs.plain("x"))));
    run.submitted.add(
        run.ask(
            () ->
                run.store.submit(
                    TestJobSpecs.with(
                        TestJobSpecs.attempts(3),
                        TestJobSpecs.job(
                            TestJobSpecs.stage("a", "1", "2"),
                            TestJobSpecs.each("b", "{{result}}"))))));
    JobId job = run.submitted.getLast();
    List<Claim> claims = run.claim(3);
    for (Claim claim : claims) {
      run.ask(() -> run.store.freeze(claim, run.json()));
      run.ask(() -> run.store.appendJournal(claim, new OutputChunk(List.of(1), "t")));
    }
    run.ask(() -> run.store.replaceMetadata(job, 1, 1, run.json(), ANNA));
    run.ask(() -> run.store.pause(job, ANNA));
    run.ask(() -> run.store.resume(job, ANNA));
    if (claims.size() > 1) {
      run.complete(claims.get(0));
      run.ask(() -> run.store.fail(claims.get(1), Failure.of("again")));
    }
    run.clock.advance(MINUTE.multipliedBy(2));
    run.ask(run.store::sweep);
  }

  @Test
  void anErrorOfACallerIsSurvived() {
    Run reference = new Run();
    int before = reference.trap.calls;
    useAll(reference);
    int last = reference.trap.calls;
    assertThat(last - before).isGreaterThan(50);
    for (int n = before + 1; n <= last; n++) {
      Error error = n % 2 == 0 ? new OutOfMemoryError("here") : new StackOverflowError("here");
      try {
        survives(n, error);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("call " + n + ": " + e.getMessage(), e);
      }
    }
  }

  private static void survives(int n, Error error) {
    Run run = new Run();
    run.trap.error = error;
    run.trap.at = n;
    useAll(run);
    run.trap.at = 0;
    finish(run);
    WorkspaceInvariants.hold(run.disk, SimulatedStore.PLACES, run.store);
    FsStore next =
        FsStore.openUnlocked(
            new FsSettings(
                SimulatedStore.ROOT,
                run.disk.afterKill(),
                run.clock,
                run.ids::next,
                () -> 1L << 63));
    assertThat(next.list(JobReader.Query.all())).containsAll(run.submitted);
    run.acknowledged.forEach(
        (claim, result) ->
            assertThat(
                    next.task(claim.job(), claim.key().stage(), claim.key().task())
                        .orElseThrow()
                        .result())
                .extracting(TaskResult::text)
                .isEqualTo(result));
  }

  private static void finish(Run run) {
    for (int round = 0; round < 20; round++) {
      run.store.isIdle(Set.of("generate", "a", "b"));
      run.store.sweep();
      run.claim(100).forEach(run::complete);
      run.clock.advance(MINUTE.multipliedBy(2));
    }
    for (JobId id : run.store.list(JobReader.Query.all())) {
      JobState state = run.store.state(id).orElseThrow();
      assertThat(state.isFinal()).as("job %s is %s", id, state).isTrue();
    }
  }
}
