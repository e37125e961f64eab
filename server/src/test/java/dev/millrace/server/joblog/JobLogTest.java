package dev.millrace.server.joblog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The two lines of a job in a server's log. */
class JobLogTest {
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
  private final InMemoryServer server = new InMemoryServer();
  private final ManualClock clock = new ManualClock();
  private final JobLog log = JobLog.of(server.store, clock, new Recorder());

  /** Keeps what is logged at INFO and above. */
  private final class Recorder implements System.Logger {
    @Override
    public String getName() {
      return "test";
    }

    @Override
    public boolean isLoggable(Level level) {
      return level.getSeverity() >= Level.INFO.getSeverity();
    }

    @Override
    public void log(
        Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
      if (isLoggable(level)) {
        lines.add(level + " " + message);
      }
    }

    @Override
    public void log(
        Level level, @Nullable ResourceBundle bundle, String format, @Nullable Object... params) {
      log(level, bundle, format, (Throwable) null);
    }
  }

  @AfterEach
  void close() {
    log.close();
    server.close();
  }

  private Claim claim() {
    return server.store.claim(new ClaimRequest(Set.of("generate"), 1, "test", null)).getFirst();
  }

  private static TaskResult result(String model, long tokens, long resumed) {
    JsonObject receipt =
        JsonObject.create()
            .put("model", model)
            .put("completion_tokens", tokens)
            .putIfPresent("resumed", resumed == 0 ? null : resumed);
    return TaskResult.of("x").withReceipt(receipt);
  }

  /** Runs a task as a server of this process would. */
  private void run(TaskOutcome outcome, Duration time) {
    Claim claim = claim();
    log.taskListener().started(claim);
    clock.advance(time);
    log.taskListener()
        .finished(
            claim,
            outcome,
            switch (outcome) {
              case TaskOutcome.Done(TaskResult result) -> server.store.complete(claim, result);
              case TaskOutcome.Failed(Failure failure) -> server.store.fail(claim, failure);
              case TaskOutcome.Released(String reason) -> server.store.release(claim, reason);
            });
  }

  @Test
  void aJobHasALineWhenItBeginsAndOneWhenItEnds() {
    JobSpec spec =
        JobSpec.builder()
            .name("night\nly")
            .stages(List.of(StageSpec.of("generate", List.of(TaskSpec.of("a"), TaskSpec.of("b")))))
            .build();
    JobId id = server.store.submit(spec);
    run(new TaskOutcome.Done(result("house", 30, 0)), Duration.ofSeconds(2));
    clock.advance(Duration.ofHours(1)); // nothing of it runs: this does not slow it
    run(new TaskOutcome.Done(result("house", 20, 10)), Duration.ofSeconds(2));
    log.close();
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0))
        .isEqualTo("INFO job " + id + " begins: name \"night ly\", type generate, 2 tasks");
    assertThat(lines.get(1))
        .matches(
            "INFO job "
                + id
                + " done: name \"night ly\", model \"house\", 50 tokens in [0-9.]+ s,"
                + " 10.0 tokens/s");
  }

  @Test
  void aFailureIsAWarningWithItsReason() {
    JobId id = server.submit("generate", "a");
    run(new TaskOutcome.Failed(Failure.permanent("it\nbroke")), Duration.ofSeconds(1));
    log.close();
    assertThat(lines).hasSize(2);
    assertThat(lines.get(1))
        .startsWith("WARNING job " + id + " failed: took ")
        .contains("it broke")
        .doesNotContain("\n");
  }

  @Test
  void aJobThatIsAbortedBeforeItBeginsHasOneLine() {
    JobId id = server.submit("generate", "a");
    server.store.abort(id, Cause.user("anna", null));
    log.close();
    assertThat(lines).hasSize(1);
    assertThat(lines.getFirst()).startsWith("INFO job " + id + " aborted: took 0.0 s");
  }

  @Test
  void manyTasksAreStillTwoLines() throws InterruptedException {
    server.start(
        server.builder(Worker.of("generate", task -> "x")).slots(16).listener(log.taskListener()));
    String[] inputs = IntStream.range(0, 500).mapToObj(i -> "input " + i).toArray(String[]::new);
    JobId id = server.submit("generate", inputs);
    server.await(id);
    log.close();
    assertThat(lines).hasSize(2).allSatisfy(line -> assertThat(line).startsWith("INFO job " + id));
    assertThat(lines.getFirst()).contains("500 tasks");
  }

  @Test
  void aPausedJobBeginsOnceAndLaterChangesOfAnEndedOneAreNotLogged() {
    JobId id = server.submit("generate", "a", "b");
    run(new TaskOutcome.Done(TaskResult.of("x")), Duration.ofSeconds(1));
    server.store.pause(id, Cause.user("anna", null));
    server.store.resume(id, Cause.user("anna", null));
    run(new TaskOutcome.Done(TaskResult.of("x")), Duration.ofSeconds(1));
    server.store.replaceMetadata(
        id, 0, 0, JsonObject.create().put("k", 1L), Cause.user("anna", null));
    log.close();
    assertThat(lines).hasSize(2);
  }
}
