package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.Flow;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.TaskState;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A remote model beside a local one: neither disturbs the other. */
@Timeout(120)
@Tag("slow")
class RemoteBesideLocalModelTest {
  private static final String DATA =
      "{\"max_tokens\": 10, \"ignore_eos\": true, \"raw\": true, \"model\": \"%s\"}";

  private final InMemoryServer inMemory = new InMemoryServer();
  private final FakeRemoteModel far = new FakeRemoteModel(TinyModels.llama());
  private final InferenceSettings settings =
      TinyModels.serving(TinyModels.llama(), far.named("far"));
  private final AtomicLong clock = new AtomicLong();
  private Inference inference;

  @BeforeEach
  void open() {
    inference = Inference.open(settings, clock::get);
  }

  @AfterEach
  void close() {
    inMemory.close();
    inference.close();
  }

  private Server serve() {
    return inMemory.start(inMemory.builder().group(inference.slots(), inference.workers()));
  }

  private JobId submit(String model, int tasks) {
    List<TaskSpec> all = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      all.add(TaskSpec.of("once " + i));
    }
    JsonObject data = Json.object(DATA.formatted(model));
    return inMemory.submit(
        StageSpec.builder("generate")
            .policy(InMemoryServer.ONE_ATTEMPT)
            .tasks(all)
            .data(data)
            .build());
  }

  private JobId submitEmbedding() {
    return inMemory.submit("embed", "once");
  }

  private void assertDone(JobId job) throws InterruptedException {
    assertThat(inMemory.await(job).status()).as("job %s", job).isEqualTo(Flow.Status.DONE);
  }

  @Test
  void jobsOfALocalModelFinishWhileManyWaitForTheRemoteOne() throws Exception {
    Server server = serve();
    JobId waits = submit("far", 20);
    assertDone(submit("tiny", 20));
    assertDone(submitEmbedding());
    await().atMost(InMemoryServer.TIMEOUT).until(() -> server.status().running().size() == 20);
    far.becomeReady();
    assertDone(waits);
  }

  @Test
  void jobsOfALocalModelFinishWhenTheRemoteOneLosesLayers() throws Exception {
    far.becomeReady();
    Server server = serve();
    assertDone(submit("far", 3));
    far.loseLayers();
    JobId waits = submit("far", 20);
    assertDone(submit("tiny", 20));
    far.becomeReady();
    assertDone(waits);
    far.loseLayers();
    JobId aborted = submit("far", 8);
    JobId paused = submit("far", 8);
    assertDone(submit("tiny", 1));
    inMemory.await(paused, () -> inMemory.task(paused).state() == TaskState.IN_PROGRESS);
    inMemory.store.abort(aborted, Cause.user("ann", null));
    inMemory.store.pause(paused, Cause.user("ann", null));
    await().atMost(InMemoryServer.TIMEOUT).until(() -> server.status().running().isEmpty());
    inMemory.store.resume(paused, Cause.user("ann", null));
    inMemory.await(paused, () -> inMemory.task(paused).state() == TaskState.IN_PROGRESS);
    server.stop();
    assertThat(inMemory.task(paused).state()).isEqualTo(TaskState.RETRIED);
    assertThat(inMemory.task(paused).attempts()).isZero();
  }

  @Test
  void theMemoryOfARemoteModelIsReadOnce() throws Exception {
    far.becomeReady();
    serve();
    assertDone(submit("far", 10));
    assertThat(far.weighed()).isEqualTo(1);
  }

  @Test
  void receiptsHaveTheHashOfTheOpener() throws Exception {
    far.becomeReady();
    FakeTaskContext task = FakeTaskContext.generate("once", DATA.formatted("far"));
    assertThat(
            TaskRunFixture.receipt(TaskRunFixture.result(inference, task)).string("model_sha256"))
        .isEqualTo(FakeRemoteModel.SHA256);
  }

  @Test
  void aRemoteModelIsReopenedWhenItsEngineEnds() throws Exception {
    far.becomeReady();
    far.breakDown();
    FakeTaskContext task = FakeTaskContext.generate("once", DATA.formatted("far"));
    assertThat(TaskRunFixture.failure(inference, task).retryable()).isTrue();
    await().atMost(InMemoryServer.TIMEOUT).until(() -> far.left() == 1);
    assertThat(inference.stats().remoteModels().getFirst().ready()).isFalse();
    await()
        .atMost(InMemoryServer.TIMEOUT)
        .until(() -> far.opened() == 2); // without a request of a task
    far.becomeReady();
    assertThat(TaskRunFixture.result(inference, task.again(0)).text()).isNotEmpty();
  }

  @Test
  void reopeningIsRetriedWithGrowingDelays() throws Exception {
    far.trouble(new EngineException("the node does not know us"));
    far.breakDown();
    FakeTaskContext task = FakeTaskContext.generate("once", DATA.formatted("far"));
    TaskRunFixture.failure(inference, task);
    await().atMost(InMemoryServer.TIMEOUT).until(() -> far.opened() >= 2);
    for (int times = 3; times < 6; times++) {
      int opened = times;
      await()
          .atMost(InMemoryServer.TIMEOUT)
          .until(
              () -> {
                clock.addAndGet(Duration.ofSeconds(1).toNanos());
                inference.library().maintain();
                return far.opened() >= opened;
              });
    }
    assertThat(clock.get()).isGreaterThan(Duration.ofSeconds(5 + 10 + 20).toNanos());
    far.trouble(null);
    await()
        .atMost(InMemoryServer.TIMEOUT)
        .until(
            () -> {
              clock.addAndGet(Duration.ofMinutes(5).toNanos());
              inference.library().maintain();
              return inference.stats().loaded().contains("far");
            });
  }

  @Test
  void aStartDoesNotWaitLongForANetwork() throws Exception {
    inference.close();
    far.hold(true);
    inference = Inference.open(settings, clock::get, Duration.ofMillis(10));
    assertThat(inference.stats().loaded()).containsExactly("tiny");
    serve();
    JobId waits = submit("far", 20);
    assertDone(submit("tiny", 20));
    far.hold(false);
    await().atMost(InMemoryServer.TIMEOUT).until(() -> inference.stats().loaded().contains("far"));
    far.becomeReady();
    assertDone(waits);
  }

  @Test
  void aTaskSurvivesFailedOpenings() throws Exception {
    inference.close();
    far.hold(true);
    inference = Inference.open(settings, clock::get, Duration.ofMillis(10));
    serve();
    JobId waits = submit("far", 20);
    int before = far.opened();
    far.trouble(new EngineException("another network key"));
    far.hold(false);
    await()
        .atMost(InMemoryServer.TIMEOUT)
        .until(
            () -> {
              clock.addAndGet(Duration.ofMinutes(5).toNanos());
              inference.library().maintain();
              return far.opened() >= before + 2; // the first attempt has failed by now
            });
    assertDone(submit("tiny", 20));
    far.trouble(null);
    far.becomeReady();
    await()
        .atMost(InMemoryServer.TIMEOUT)
        .until(
            () -> {
              clock.addAndGet(Duration.ofMinutes(5).toNanos());
              inference.library().maintain();
              return inference.stats().loaded().contains("far");
            });
    assertDone(waits);
  }

  @Test
  void itCanBeClosedWhileItWaitsForItsNetwork() throws Exception {
    inference.close();
    far.hold(true);
    inference = Inference.open(settings, clock::get, Duration.ofMillis(10));
    JobId waits = submit("far", 3);
    Server server = serve();
    inMemory.await(waits, () -> inMemory.task(waits).state() == TaskState.IN_PROGRESS);
    server.stop();
    inference.close(); // would not return
    assertThat(inMemory.task(waits).attempts()).isZero();
  }

  @Test
  void aStartThatTheNetworkRefusesFailsWithItsMessage() {
    inference.close();
    far.trouble(new EngineException("the node does not know us"));
    assertThatThrownBy(() -> Inference.open(settings))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("the node does not know us");
  }

  @Test
  void aLocalModelThatDoesNotFitBesideItIsRefusedAtTheStart() {
    inference.close();
    long room = (1 << 20) + (64 << 10);
    assertThatThrownBy(() -> Inference.open(settings.withMemory(room)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("model \"tiny\"")
        .hasMessageContaining("1.0 MiB are reserved")
        .hasMessageContaining("allow more memory");
    assertThatThrownBy(() -> Inference.open(settings.withMemory(1 << 19)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("model \"far\" needs 1.0 MiB")
        .hasMessageContaining("may take 512.0 KiB; allow");
    assertThat(far.opened()).isEqualTo(1);
  }
}
