package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskPolicy;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A store in memory and a server over it, with helpers for tests. */
public final class InMemoryServer implements AutoCloseable {

  /** Longer than anything here should take, even on a busy machine. */
  public static final Duration TIMEOUT = Duration.ofSeconds(60);

  public static final TaskPolicy ONE_ATTEMPT = TaskPolicy.DEFAULT;

  public final JobStore store;
  public final Flow flow;
  private @Nullable Server server;

  public InMemoryServer() {
    this(UnaryOperator.identity());
  }

  /**
   * @param between wraps the store that the server gets
   */
  public InMemoryServer(UnaryOperator<JobStore> between) {
    this.store =
        between.apply(new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC())));
    this.flow = new Flow(store);
  }

  public Server start(Worker... workers) {
    return start(4, workers);
  }

  public Server start(int slots, Worker... workers) {
    return start(builder(workers).slots(slots));
  }

  public Server start(ServerBuilder builder) {
    return keep(builder.build()).start();
  }

  /** Closes {@code it} at the end of the test. */
  public Server keep(Server it) {
    server = it;
    return it;
  }

  public ServerBuilder builder(Worker... workers) {
    ServerBuilder builder = Server.builder(store);
    Arrays.stream(workers).forEach(builder::worker);
    return builder;
  }

  /** A job of one stage. */
  public JobId submit(String type, String... inputs) {
    return submit(type, ONE_ATTEMPT, inputs);
  }

  public JobId submit(String type, TaskPolicy policy, String... inputs) {
    List<TaskSpec> tasks = Arrays.stream(inputs).map(TaskSpec::of).toList();
    return submit(StageSpec.builder(type).policy(policy).tasks(tasks).build());
  }

  public JobId submit(StageSpec... stages) {
    return store.submit(JobSpec.of(List.of(stages)));
  }

  /** A policy with that many attempts and hardly any delay. */
  public static TaskPolicy attempts(int most) {
    Duration wait = Duration.ofMillis(1);
    return new TaskPolicy(most, new Backoff(wait, 1.0, wait, 0.0), null, null, 3);
  }

  public static TaskPolicy runTimeout(Duration limit) {
    return new TaskPolicy(1, Backoff.DEFAULT, null, limit, 3);
  }

  /** The job once it has ended. */
  public Flow.Job await(JobId id) throws InterruptedException {
    assertThat(flow.await(id, TIMEOUT).isFinal()).as("job %s has ended", id).isTrue();
    return flow.get(id).orElseThrow();
  }

  /** Waits until something that shows in the job's log has happened. */
  public void await(JobId id, BooleanSupplier happened) throws InterruptedException {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (!happened.getAsBoolean()) {
      assertThat(System.nanoTime()).as("job %s takes too long", id).isLessThan(end);
      store.awaitChange(id, Duration.ofMillis(50));
    }
  }

  /** The rest of the first line of the job's log that starts with the prefix; waits for it. */
  public String awaitLine(JobId id, String start) throws InterruptedException {
    await(id, () -> lines(id).stream().anyMatch(line -> line.startsWith(start)));
    return lines(id).stream()
        .filter(line -> line.startsWith(start))
        .findFirst()
        .orElseThrow()
        .substring(start.length());
  }

  public List<String> lines(JobId id) {
    return store.events(id, 0, Integer.MAX_VALUE).stream()
        .map(LogEntry::fact)
        .filter(Fact.WorkerLogLine.class::isInstance)
        .map(fact -> ((Fact.WorkerLogLine) fact).text())
        .toList();
  }

  /** The first task of the job. */
  public TaskView task(JobId id) {
    return store.tasks(id, 1, 1, 1).getFirst();
  }

  @Override
  public void close() {
    try {
      if (server != null) {
        server.stopNow();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      store.close();
    }
  }
}
