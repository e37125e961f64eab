package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.RunningTask;
import dev.millrace.server.Server;
import dev.millrace.server.TaskPhase;
import dev.millrace.server.TaskProgress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs through a store and a server give the same text after any interruption. */
@Timeout(120)
class InferenceServerTest {
  private static final Cause USER = Cause.user("ann", null);
  private static final String DATA =
      "{\"max_tokens\": 120, \"temperature\": 1.1, \"ignore_eos\": true, \"raw\": true, \"seed\":"
          + " 5}";

  private final InMemoryServer inMemory = new InMemoryServer();
  private Inference inference;

  @BeforeEach
  void open() {
    inference = Inference.open(TinyModels.serving(TinyModels.llama()));
  }

  @AfterEach
  void close() {
    inMemory.close();
    inference.close();
  }

  private Server serve(Inference served) {
    return inMemory.start(Server.builder(inMemory.store).group(served.slots(), served.workers()));
  }

  private static StageSpec stage(String data, String... inputs) {
    List<TaskSpec> tasks = Arrays.stream(inputs).map(TaskSpec::of).toList();
    return StageSpec.builder("generate")
        .policy(InMemoryServer.ONE_ATTEMPT)
        .tasks(tasks)
        .data(Json.object(data))
        .build();
  }

  private String alone(String input) throws Exception {
    return TaskRunFixture.result(inference, FakeTaskContext.generate(input, DATA)).text();
  }

  private boolean hasDraft(JobId job) {
    return !inMemory.store.outputSoFar(job, 1, 1, 0).pieces().isEmpty();
  }

  @Test
  void twentyAtOnceGiveTheSameTextsAsAlone() throws Exception {
    List<String> inputs = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      inputs.add("a b c ".repeat(i % 5) + "word" + i);
      texts.add(alone(inputs.get(i)));
    }
    serve(inference);
    JobId job = inMemory.submit(stage(DATA, inputs.toArray(String[]::new)));
    Flow.Job done = inMemory.await(job);
    assertThat(done.status()).isEqualTo(Flow.Status.DONE);
    List<TaskView> tasks = inMemory.store.tasks(job, 1, 1, 20);
    for (int i = 0; i < 20; i++) {
      assertThat(tasks.get(i).result()).satisfies(result -> assertThat(result.text()).isNotEmpty());
      assertThat(tasks.get(i).result().text()).as(inputs.get(i)).isEqualTo(texts.get(i));
      assertThat(tasks.get(i).result().receipt()).isNotNull();
    }
    assertThat(inference.stats().tokens().generated()).isEqualTo(40 * 120);
  }

  @Test
  void aRunningGenerationIsShownWithItsModelAndTextAlsoAfterAResume() throws Exception {
    String text = alone("once");
    JobId job = inMemory.submit(stage(DATA, "once"));
    long before = 0;
    for (int round = 0; round < 2; round++) {
      try (SlowWheel _ = new SlowWheel(inference)) {
        Server server = serve(inference);
        long seen = before;
        inMemory.await(
            job,
            () ->
                server.runningTasks().stream()
                    .map(RunningTask::progress)
                    .anyMatch(now -> now.phase() == TaskPhase.GENERATE && now.tokens() > seen));
        TaskProgress progress = server.runningTasks().getFirst().progress();
        assertThat(progress.model()).isEqualTo(inference.stats().loaded().getFirst());
        assertThat(progress.promptTotal()).isPositive();
        assertThat(progress.textLength()).isLessThan(text.length());
        assertThat(text.substring(0, (int) progress.textLength())).endsWith(progress.tail());
        assertThat(server.journaledTokens()).as("the model counts them").isZero();
        before = progress.tokens();
        server.stop();
        assertThat(server.runningTasks()).isEmpty();
      }
    }
  }

  @Test
  void aStoppingServerReleasesAtOnceAndTheNextResumes() throws Exception {
    String text = alone("once");
    JobId job = inMemory.submit(stage(DATA, "once"));
    int resumed = 0;
    for (int round = 0; round < 4; round++) {
      long before = inMemory.store.outputSoFar(job, 1, 1, 0).next();
      try (SlowWheel _ = new SlowWheel(inference)) {
        Server server = serve(inference);
        inMemory.await(job, () -> inMemory.store.outputSoFar(job, 1, 1, before).next() > before);
        server.stop(); // waits for all tasks
      }
      assertThat(inMemory.task(job).state()).isEqualTo(TaskState.RETRIED);
      assertThat(inMemory.task(job).attempts()).isZero();
      resumed++;
    }
    serve(inference);
    Flow.Job done = inMemory.await(job);
    assertThat(resumed).isEqualTo(4);
    assertThat(done.result()).isEqualTo(text);
    assertThat(receipt(job).integer("resumed")).isGreaterThanOrEqualTo(4);
    assertThat(inMemory.task(job).attempts()).isZero();
    assertThat(inMemory.lines(job)).isEmpty();
  }

  private JsonObject receipt(JobId job) {
    JsonObject receipt = inMemory.task(job).result().receipt();
    assertThat(receipt).isNotNull();
    return receipt;
  }

  @Test
  void aPausedJobKeepsItsOutputAndResumes() throws Exception {
    String text = alone("once");
    serve(inference);
    JobId job;
    try (SlowWheel _ = new SlowWheel(inference)) {
      job = inMemory.submit(stage(DATA, "once"));
      inMemory.await(job, () -> hasDraft(job));
      inMemory.store.pause(job, USER);
      inMemory.await(job, () -> inMemory.task(job).state() == TaskState.RETRIED);
    }
    String draft = inMemory.store.outputSoFar(job, 1, 1, 0).text();
    assertThat(text).startsWith(draft).isNotEqualTo(draft);
    inMemory.store.resume(job, USER);
    assertThat(inMemory.await(job).result()).isEqualTo(text);
    assertThat(receipt(job).integer("resumed")).isPositive();
    assertThat(inMemory.task(job).attempts()).isZero();
  }

  @Test
  void aCancelledJobKeepsItsOutput() throws Exception {
    String text = alone("once");
    Server server = serve(inference);
    JobId job;
    try (SlowWheel _ = new SlowWheel(inference)) {
      job = inMemory.submit(stage(DATA, "once"));
      inMemory.await(job, () -> hasDraft(job));
      inMemory.store.abort(job, USER);
      inMemory.await(job, () -> server.status().running().isEmpty());
    }
    assertThat(inMemory.flow.status(job)).isEqualTo(Flow.Status.CANCELLED);
    String draft = inMemory.store.outputSoFar(job, 1, 1, 0).text();
    assertThat(draft).isNotEmpty();
    assertThat(text).startsWith(draft).isNotEqualTo(draft);
  }

  @Test
  void aClosedInferenceReleasesRunningTasks() throws Exception {
    String text = alone("once");
    JobId job = inMemory.submit(stage(DATA, "once"));
    try (SlowWheel _ = new SlowWheel(inference)) {
      Server server = serve(inference);
      inMemory.await(job, () -> hasDraft(job));
      inference.close();
      inMemory.await(job, () -> inMemory.task(job).state() == TaskState.RETRIED);
      server.stopNow();
    }
    assertThat(inMemory.task(job).attempts()).isZero();
    inference = Inference.open(TinyModels.serving(TinyModels.llama()));
    serve(inference);
    assertThat(inMemory.await(job).result()).isEqualTo(text);
  }

  @Test
  void twoModelsWithMemoryForOneAreLoadedInTurn() throws Exception {
    long one = inference.library().loadedModels().getFirst().bytes();
    InferenceSettings settings =
        TinyModels.serving(TinyModels.llama(), TinyModels.other()).withMemory(one + one / 2);
    try (Inference both = Inference.open(settings)) {
      String data = DATA.replace("}", ", \"model\": \"%s\"}").replace("120", "20");
      List<JobId> jobs = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        jobs.add(inMemory.submit(stage(data.formatted(i % 2 == 0 ? "tiny" : "other"), "job " + i)));
      }
      Server server = serve(both);
      for (JobId job : jobs) {
        assertThat(inMemory.await(job).status()).isEqualTo(Flow.Status.DONE);
      }
      assertThat(both.stats().loaded()).hasSize(1);
      server.stop();
    }
  }
}
