package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskState;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Server;
import dev.millrace.server.StoreInterceptor;
import dev.millrace.server.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The store goes away while tasks run, and comes back, or the server finds that it is lost. */
@Timeout(120)
class StoreOutageTest {
  private static final int TASKS = 6;
  private static final int TOKENS = 120;
  private static final String DATA =
      "{\"max_tokens\": 120, \"temperature\": 1.1, \"ignore_eos\": true, \"raw\": true, \"seed\":"
          + " 5}";

  /** A store whose calls that write fail on command. */
  private static final class Outage implements StoreInterceptor {
    private final AtomicInteger claims = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final Map<Integer, OutputChunk> journals = new ConcurrentHashMap<>();
    private volatile @Nullable StoreException problem;

    @Override
    public @Nullable Object intercept(Call call) throws Throwable {
      boolean writes =
          switch (call.name()) {
            case "claim",
                "complete",
                "fail",
                "release",
                "heartbeat",
                "appendJournal",
                "freeze",
                "log",
                "sweep" ->
                true;
            default -> false;
          };
      StoreException now = problem;
      if (writes && now != null) {
        failures.incrementAndGet();
        throw now;
      }
      if (call.name().equals("claim")) {
        claims.incrementAndGet();
      }
      if (call.name().equals("complete") && call.arguments()[0] instanceof Claim claim) {
        int task = claim.key().task(); // its journal is gone afterwards
        List<OutputChunk> chunks = call.store().outputSoFar(claim.job(), 1, task, 0).pieces();
        journals.put(task, OutputChunk.joined(chunks));
      }
      return call.proceed();
    }

    void begin() {
      problem = new StoreException("the database is away", null, Trouble.FAILING);
    }

    void end() {
      problem = null;
    }

    void breakStore() {
      problem = new StoreBrokenException("others may have taken its tasks");
    }

    void awaitFailures(int count) {
      int before = failures.get();
      while (failures.get() < before + count) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private final Outage outage = new Outage();
  private final InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(outage));
  private final Inference inference = Inference.open(TinyModels.serving(TinyModels.llama()));

  @AfterEach
  void close() {
    inMemory.close();
    inference.close();
  }

  private Server serve() {
    return inMemory.start(
        Server.builder(inMemory.store).group(inference.slots(), inference.workers()));
  }

  private JobId submit(int tasks) {
    List<TaskSpec> inputs = new ArrayList<>();
    for (int i = 1; i <= tasks; i++) {
      inputs.add(TaskSpec.of("word" + i));
    }
    return inMemory.submit(
        StageSpec.builder("generate")
            .policy(InMemoryServer.ONE_ATTEMPT)
            .tasks(inputs)
            .data(Json.object(DATA))
            .build());
  }

  private String alone(int task) throws Exception {
    return TaskRunFixture.result(inference, FakeTaskContext.generate("word" + task, DATA)).text();
  }

  private boolean isComputing() {
    var stats = inference.library().loadedModels().getFirst().stats().wheel();
    return stats.waiting() + stats.admitted() > 0;
  }

  private int journaled(JobId job, int task) {
    return inMemory.store.outputSoFar(job, 1, task, 0).text().length();
  }

  @Test
  void runningTasksAreGeneratedToTheirEndMeanwhile() throws Exception {
    List<String> texts = new ArrayList<>();
    for (int task = 1; task <= TASKS; task++) {
      texts.add(alone(task));
    }
    JobId job;
    try (SlowWheel _ = new SlowWheel(inference)) {
      serve();
      job = submit(TASKS);
      inMemory.await(job, () -> journaled(job, 1) > 0);
      outage.begin();
    }
    while (isComputing()) {
      LockSupport.parkNanos(1_000_000);
    }
    outage.awaitFailures(20);
    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.IN_PROGRESS);
    assertThat(journaled(job, 1)).isLessThan(texts.getFirst().length());

    outage.end();
    inMemory.await(job);
    List<TaskView> tasks = inMemory.store.tasks(job, 1, 1, TASKS);
    for (int i = 0; i < TASKS; i++) {
      assertThat(tasks.get(i).result().text()).isEqualTo(texts.get(i));
      OutputChunk journal = outage.journals.get(i + 1);
      assertThat(journal.tokens()).hasSize(TOKENS);
      assertThat(texts.get(i)).as("without gap").startsWith(journal.text());
      assertThat(tasks.get(i).attempts()).isZero();
    }
    assertThat(inMemory.store.events(job, 0, 1_000))
        .as("nothing was given back")
        .noneMatch(StoreOutageTest::isRelease);
  }

  private static boolean isRelease(LogEntry entry) {
    return entry.fact() instanceof Fact.TaskChanged changed && changed.event() == TaskEvent.RELEASE;
  }

  @Test
  void nothingIsClaimedMeanwhile() throws Exception {
    JobId first;
    try (SlowWheel _ = new SlowWheel(inference)) {
      serve();
      first = submit(1);
      inMemory.await(first, () -> journaled(first, 1) > 0);
      outage.begin();
      outage.awaitFailures(20);
    }
    int claims = outage.claims.get();
    JobId second = submit(1);
    outage.awaitFailures(20);
    assertThat(outage.claims).hasValue(claims);
    outage.end();
    assertThat(inMemory.await(first).error()).isNull();
    assertThat(inMemory.await(second).error()).isNull();
  }

  @Test
  void aServerThatLostItsTasksStopsAndWritesNothing() throws Exception {
    JobId job;
    Server server;
    try (SlowWheel _ = new SlowWheel(inference)) {
      server = serve();
      job = submit(TASKS);
      inMemory.await(job, () -> journaled(job, 1) > 0);
      outage.begin();
      outage.awaitFailures(20);
    }
    int journaled = journaled(job, 1);
    int entries = inMemory.store.events(job, 0, 1_000).size();
    outage.breakStore();
    assertThatThrownBy(server::await).isInstanceOf(StoreBrokenException.class);
    assertThat(journaled(job, 1)).isEqualTo(journaled);
    assertThat(inMemory.store.events(job, 0, 1_000)).hasSize(entries);
    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.IN_PROGRESS);
  }

  @Test
  void aTaskRunsOutOfTimeMeanwhile() throws Exception {
    ManualClock clock = new ManualClock();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    Worker worker =
        Worker.of(
            "wait",
            task -> {
              task.onCancel(stopped::countDown);
              started.countDown();
              new CountDownLatch(1).await();
              return "";
            });
    inMemory.start(inMemory.builder(worker).clock(clock));
    JobId job = inMemory.submit("wait", InMemoryServer.runTimeout(Duration.ofMinutes(1)), "x", "y");
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    outage.begin();
    outage.awaitFailures(4);
    clock.advance(Duration.ofMinutes(1));
    assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
    outage.end();
    assertThat(inMemory.await(job).error()).contains("run timeout");
  }
}
