package dev.millrace.core.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.internal.concurrent.StoreFence;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.store.JobRepository;
import dev.millrace.core.internal.store.RepositoryJobStore;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.time.LogTimes;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * An Error at every call that a store makes to its repository, before and after its effect: memory
 * is never ahead of the log, no claim is left without a worker, and nothing acknowledged is lost.
 */
class PortErrorTest {
  private static final Logger LOG = Logger.getLogger("dev.millrace.store");
  private static final Cause ANNA = Cause.user("anna", null);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Set<String> TYPES = Set.of("a", "b");

  @BeforeAll
  static void silenceTheLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void restoreTheLog() {
    LOG.setLevel(null);
  }

  /** A store in memory whose calls to its port fail. */
  static final class FailingStore extends RepositoryJobStore<MemoryStoredJob> {
    private final MemoryRepository memory;

    FailingStore(
        MemoryRepository memory, JobRepository<MemoryStoredJob> failing, RandomGenerator random) {
      super(failing, random, new StoreFence(Threading.SYSTEM));
      this.memory = memory;
    }

    @Override
    public JobId submit(JobSpec spec) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean submit(JobSpec spec, JobId id) {
      memory.insert(id, spec);
      return updater().touch(id);
    }

    @Override
    public RetryResult retry(RetryRequest request) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  /** The same repository, with an action before each call of one method. */
  @SuppressWarnings("unchecked") // a proxy of the interface is of any type of job
  static JobRepository<MemoryStoredJob> overriding(
      MemoryRepository repository, String method, Runnable before) {
    return (JobRepository<MemoryStoredJob>)
        Proxy.newProxyInstance(
            JobRepository.class.getClassLoader(),
            new Class<?>[] {JobRepository.class},
            (_, called, arguments) -> {
              if (called.getName().equals(method)) {
                before.run();
              }
              try {
                return called.invoke(repository, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** One run of all verbs, in which an Error may be thrown once. */
  private static final class Run {
    final ManualClock clock = new ManualClock();
    final FailingPort port = new FailingPort();
    final MemoryContents contents = new MemoryContents();
    final MemoryRepository memory =
        new MemoryRepository(ContractSettings.steady(clock), contents, contents.join());
    final FailingStore store =
        new FailingStore(memory, port.over(memory), port.over((RandomGenerator) () -> 1L << 63));
    final List<Claim> held = new ArrayList<>();
    final Map<Claim, String> acknowledged = new HashMap<>();
    @Nullable Error error;

    /** Asks again if the answer was an Error: it is thrown once only. */
    <T> T ask(Supplier<T> verb) {
      try {
        return verb.get();
      } catch (Error e) {
        if (e != error) {
          throw e;
        }
        return verb.get();
      } catch (JobException e) { // its job could not be read
        if (e.getCause() != error) {
          throw e;
        }
        return verb.get();
      }
    }

    void claim(int limit, @Nullable Duration lease) {
      held.addAll(ask(() -> store.claim(new ClaimRequest(TYPES, limit, "worker", lease))));
    }

    void complete(Claim claim) {
      String result = "<" + claim.inputText() + ">";
      if (ask(() -> store.complete(claim, TaskResult.of(result))).isDone()) {
        acknowledged.put(claim, result);
      }
    }

    @Nullable Claim take() {
      return held.isEmpty() ? null : held.removeFirst();
    }
  }

  private static JobId id(int number) {
    return JobId.of(1_767_225_600_000_000L, 7, number);
  }

  private static StageSpec stage(String type, String... texts) {
    return StageSpec.of(type, List.of(texts).stream().map(TaskSpec::of).toList());
  }

  private static void allVerbs(Run run) {
    run.ask(
        () ->
            run.store.submit(
                JobSpec.of(List.of(stage("a", "1", "2", "3"), stage("b", "4"))), id(1)));
    run.ask(() -> run.store.submit(JobSpec.of(List.of(stage("a", "5", "6"))), id(2)));
    run.ask(() -> run.store.submit(JobSpec.of(List.of(stage("a", "7"))), id(3)));
    run.claim(4, MINUTE);
    for (Claim claim : run.held) {
      run.ask(() -> run.store.freeze(claim, JsonObject.create().put("seed", 7)));
      run.ask(() -> run.store.appendJournal(claim, new OutputChunk(List.of(1), "t")));
      run.ask(() -> run.store.heartbeat(claim, true));
      run.ask(
          () -> {
            run.store.log(claim, "info", "half way");
            return claim;
          });
    }
    Claim first = run.take();
    if (first != null) {
      run.complete(first);
    }
    Claim second = run.take();
    if (second != null) {
      run.ask(() -> run.store.release(second, "shutdown"));
    }
    levers(run);
    run.claim(1, null);
    run.clock.advance(MINUTE.multipliedBy(2));
    run.ask(run.store::sweep);
    Claim last = run.take();
    if (last != null) {
      run.ask(() -> run.store.findClaim(last.job(), last.key().stage(), last.key().task()));
      run.ask(() -> run.store.fail(last, Failure.permanent("broken")));
    }
  }

  private static void levers(Run run) {
    run.ask(() -> run.store.pause(id(1), ANNA));
    run.ask(() -> run.store.resume(id(1), ANNA));
    run.ask(() -> run.store.prioritize(id(1), Priority.HIGH, ANNA));
    run.ask(() -> run.store.replaceMetadata(id(1), 1, 1, JsonObject.create().put("k", 1), ANNA));
    run.ask(() -> run.store.addTasks(id(1), 2, List.of(TaskSpec.of("more")), ANNA));
    run.ask(() -> run.store.abort(id(3), ANNA));
    run.ask(() -> run.store.delete(id(3)));
  }

  @Test
  void anErrorAtAnyCallOfThePortIsSurvived() {
    Run reference = new Run();
    reference.port.failAt(0, false, new OutOfMemoryError());
    allVerbs(reference);
    List<String> calls = reference.port.calls();
    assertThat(calls)
        .contains("load", "append", "awaitDurable", "keepResult", "appendJournal", "grant", "now");
    for (int n = 1; n <= calls.size(); n++) {
      for (boolean after : new boolean[] {false, true}) {
        Error error = n % 2 == 0 ? new OutOfMemoryError("here") : new StackOverflowError("here");
        try {
          survives(n, after, error);
        } catch (Throwable e) {
          String where = (after ? " after " : " before ") + "call " + n + ", " + calls.get(n - 1);
          throw new AssertionError(error + where + ": " + e.getMessage(), e);
        }
      }
    }
  }

  private static void survives(int n, boolean after, Error error) {
    Run run = new Run();
    run.error = error;
    run.port.failAt(n, after, error);
    allVerbs(run);
    run.port.failAt(0, false, error);
    finish(run);
    for (MemoryJob job : run.contents.jobs.values()) {
      JobFold fold = job.emptyFold(_ -> {}, LogTimes.AS_LOGGED);
      job.log.forEach(fold::apply); // refuses a gap in the numbers
      assertThat(run.store.find(job.id).orElseThrow().state()).isEqualTo(fold.state());
    }
    run.acknowledged.forEach(
        (claim, result) ->
            assertThat(
                    run.store
                        .task(claim.job(), claim.key().stage(), claim.key().task())
                        .orElseThrow()
                        .result())
                .isEqualTo(TaskResult.of(result)));
  }

  /** Brings all jobs to their end, though the workers of what was held do not come back. */
  private static void finish(Run run) {
    for (int round = 0; round < 20; round++) {
      run.store.sweep();
      run.held.forEach(claim -> run.store.release(claim, "gone"));
      run.held.clear();
      run.claim(100, null);
      run.held.forEach(run::complete);
      run.held.clear();
      run.clock.advance(MINUTE.multipliedBy(2));
    }
    for (JobId id : run.store.list(JobReader.Query.all())) {
      Optional<JobState> state = run.store.state(id);
      assertThat(state.orElseThrow().isFinal()).as("job %s is %s", id, state).isTrue();
    }
  }
}
