package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.Flow;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Server;
import dev.millrace.server.TaskOutcome.Released;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.model.NamedModel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A model with layers at other nodes: tasks wait for it, and revoked tokens are discarded. */
@Timeout(120)
class RemoteModelTest {
  private static final String DATA =
      "{\"max_tokens\": 40, \"temperature\": 1.1, \"ignore_eos\": true, \"raw\": true, \"seed\":"
          + " 5}";

  private final InMemoryServer inMemory = new InMemoryServer();
  private final FakeRemoteModel model = new FakeRemoteModel(TinyModels.llama());
  private final AtomicLong clock = new AtomicLong();
  private Inference inference;
  private String text; // what the model generates when it is local

  @BeforeEach
  void open() throws Exception {
    try (Inference here = Inference.open(TinyModels.serving(TinyModels.llama()))) {
      text = TaskRunFixture.result(here, FakeTaskContext.generate("once", DATA)).text();
    }
    inference = Inference.open(TinyModels.serving(model.named("far")), clock::get);
  }

  @AfterEach
  void close() {
    inMemory.close();
    inference.close();
  }

  private Server serve(Worker... others) {
    var builder = inMemory.builder(others).group(inference.slots(), inference.workers());
    return inMemory.start(builder);
  }

  private static StageSpec stage(String type, String... inputs) {
    List<TaskSpec> tasks = List.of(inputs).stream().map(TaskSpec::of).toList();
    JsonObject data = type.equals("generate") ? Json.object(DATA) : JsonObject.create();
    return StageSpec.builder(type)
        .policy(InMemoryServer.ONE_ATTEMPT)
        .tasks(tasks)
        .data(data)
        .build();
  }

  @Test
  void tasksStayPendingUntilItIsReady() throws Exception {
    serve(Worker.of("echo", task -> task.text()));
    JobId job = inMemory.submit(stage("generate", "once"));
    for (int i = 0; i < 3; i++) { // other jobs run, so that the pool has looked at the queue
      assertThat(inMemory.await(inMemory.submit(stage("echo", "x"))).result()).isEqualTo("x");
    }
    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.PENDING);
    assertThat(inference.stats().served()).isEmpty();
    assertThat(inference.stats().remoteModels())
        .singleElement()
        .satisfies(
            far -> {
              assertThat(far.model()).isEqualTo("far");
              assertThat(far.ready()).isFalse();
              assertThat(far.waitReason()).contains("layers 1 to 1");
              assertThat(far.metrics()).containsEntry("nodes", 1.0);
            });
    model.becomeReady();
    assertThat(inMemory.await(job).result()).isEqualTo(text);
    assertThat(inference.stats().served()).containsExactly("far");
  }

  @Test
  void aModelThatLosesLayersStaysListedAndNoTaskIsClaimed() throws Exception {
    model.becomeReady();
    serve(Worker.of("echo", task -> task.text()));
    assertThat(inMemory.await(inMemory.submit(stage("generate", "once"))).status())
        .isEqualTo(Flow.Status.DONE);
    model.loseLayers();
    JobId job = inMemory.submit(stage("generate", "once"));
    inMemory.await(inMemory.submit(stage("echo", "x")));
    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.PENDING);
    assertThat(inference.stats().served()).containsExactly("far");
    model.becomeReady();
    assertThat(inMemory.await(job).result()).isEqualTo(text);
  }

  @Test
  void aLocalModelIsNotKeptWaiting() throws Exception {
    inference.close();
    inference = Inference.open(TinyModels.serving(model.named("far"), TinyModels.llama()));
    serve();
    StageSpec named =
        StageSpec.builder("generate")
            .policy(InMemoryServer.ONE_ATTEMPT)
            .tasks(List.of(TaskSpec.of("once")))
            .data(Json.object(DATA.replace("}", ", \"model\": \"tiny\"}")))
            .build();
    assertThat(inMemory.await(inMemory.submit(named)).result()).isEqualTo(text);
    assertThat(inference.stats().served()).containsExactly("tiny");
  }

  @Test
  void aDrainingServerFinishesTheJob() throws Exception {
    JobId job = inMemory.submit(stage("generate", "once"));
    Server server = inMemory.builder().group(inference.slots(), inference.workers()).build();
    inMemory.keep(server).start();
    Thread.ofVirtual().start(model::becomeReady);
    server.drain();
    assertThat(inMemory.task(job).state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void itIsOpenedBeforeItIsReadyAndNeverUnloaded() throws Exception {
    assertThat(model.opened()).isEqualTo(1);
    clock.addAndGet(Duration.ofDays(30).toNanos());
    inference.library().maintain();
    assertThat(inference.stats().loaded()).containsExactly("far");
    assertThat(model.closed()).isZero();
    inference.close();
    assertThat(model.closed()).isEqualTo(1);
  }

  @Test
  void itGivesNoEmbeddings() throws Exception {
    assertThat(inference.workers()).extracting(Worker::type).containsExactly("generate");
    inference.close();
    inference = Inference.open(TinyModels.serving(model.named("far"), TinyModels.llama()));
    TaskResult other =
        TaskRunFixture.result(inference, new FakeTaskContext("embed", "once", JsonObject.create()));
    assertThat(TaskRunFixture.receipt(other).string("model")).isEqualTo("tiny");
    JsonObject far = JsonObject.create().put("model", "far");
    Failure failure = TaskRunFixture.failure(inference, new FakeTaskContext("embed", "once", far));
    assertThat(failure.retryable()).isFalse();
    assertThat(failure.message()).contains("far", "layers are at other nodes");
  }

  @Test
  void anEncoderCannotBeRemote() {
    NamedModel encoder = new FakeRemoteModel(TinyModels.encoder()).named("vectors");
    assertThatThrownBy(() -> Inference.open(TinyModels.serving(encoder)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("generates no text");
  }

  @Test
  void revokedTokensAreDiscardedAndTheTaskRestarts() throws Exception {
    model.becomeReady();
    for (int times = 1; times <= 3; times++) {
      model.revoke(times, 10);
      FakeTaskContext task = FakeTaskContext.generate("once", DATA);
      TaskResult result = TaskRunFixture.result(inference, task);
      assertThat(result.text()).as("revoked %d times", times).isEqualTo(text);
      assertThat(task.tokens()).hasSize(40);
      assertThat(task.lines)
          .hasSize(times)
          .allSatisfy(
              line ->
                  assertThat(line)
                      .contains("node b computed something else", "discarded; restarting"));
      assertThat(TaskRunFixture.receipt(result).integer("resumed", 0)).isZero();
    }
  }

  @Test
  void aTaskRevokedTooOftenFailsAndIsNotResumed() throws Exception {
    model.becomeReady();
    model.revoke(4, 10);
    FakeTaskContext task = FakeTaskContext.generate("once", DATA);
    Failure failure = TaskRunFixture.failure(inference, task);
    assertThat(failure.retryable()).isTrue();
    assertThat(failure.message()).contains("node b computed something else");
    assertThat(failure.partial()).isNull();
    assertThat(task.lines).hasSize(4);
    assertThat(task.tokens()).as("tokens to resume from").isEmpty();
    assertThat(TaskRunFixture.result(inference, task.again(0)).text()).isEqualTo(text);
  }

  @Test
  void revokedTokensOfAnEarlierAttemptAreDiscarded() throws Exception {
    model.becomeReady();
    FakeTaskContext first = FakeTaskContext.generate("once", DATA);
    TaskRunFixture.result(inference, first);
    model.revoke(1, 5);
    FakeTaskContext second = first.again(20);
    TaskResult result = TaskRunFixture.result(inference, second);
    assertThat(result.text()).isEqualTo(text);
    assertThat(second.tokens()).isEqualTo(first.tokens());
    assertThat(TaskRunFixture.receipt(result).integer("resumed", 0)).isZero();
  }

  @Test
  void aRevokedTaskWhoseJobIsPausedIsReleased() throws Exception {
    model.becomeReady();
    model.revoke(1, 10);
    FakeTaskContext task = FakeTaskContext.generate("once", DATA);
    task.onLog = task::pause;
    assertThat(TaskRunFixture.run(inference, task)).isInstanceOf(Released.class);
    assertThat(task.lines).hasSize(1);
    FakeTaskContext again = task.again(task.tokens().size());
    assertThat(TaskRunFixture.result(inference, again).text()).isEqualTo(text);
  }

  @Test
  void theResultThroughAServerIsTheSameAndTheLogHasTheRestart() throws Exception {
    model.becomeReady();
    model.revoke(2, 10);
    serve();
    JobId job = inMemory.submit(stage("generate", "once"));
    assertThat(inMemory.await(job).result()).isEqualTo(text);
    assertThat(inMemory.lines(job))
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).contains("cannot be trusted"));
    assertThat(inMemory.task(job).attempts()).isZero();
  }

  @Test
  void aRevokedVerificationIsReported() throws Exception {
    FakeTaskContext task = FakeTaskContext.generate("once", DATA);
    model.becomeReady();
    TaskResult result = TaskRunFixture.result(inference, task);
    VerifyRequest request =
        new VerifyRequest(
            "generate", "once", Json.object(DATA), FakeTaskContext.CREATED, task.frozen, result);
    assertThat(inference.verify(request).same()).isTrue();
    model.revoke(1, 10);
    VerifyResult verified = inference.verify(request);
    assertThat(verified.same()).isFalse();
    assertThat(verified.message()).contains("cannot be trusted", "node b computed something else");
    model.loseLayers();
    assertThat(inference.verify(request).message()).contains("not ready", "layers 1 to 1");
  }
}
