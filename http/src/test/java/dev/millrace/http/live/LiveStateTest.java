package dev.millrace.http.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.api.live.GatedJob;
import dev.millrace.api.live.LiveState;
import dev.millrace.api.live.LiveTask;
import dev.millrace.api.live.WaitingJob;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.http.openapi.DocumentedResponseCheck;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the live state has. */
@Timeout(60)
class LiveStateTest {
  private final StubModel model = new StubModel();
  private final LiveTestServer api = new LiveTestServer(model);
  private final DocumentedResponseCheck document = new DocumentedResponseCheck();

  @AfterEach
  void close() {
    api.close();
  }

  /** The first state with what is wanted; all are as the document says. */
  private LiveState await(Predicate<LiveState> wanted) throws Exception {
    try (EventReader events = api.events("/v1/live")) {
      JsonObject found =
          events.await(
              json -> {
                document.checkSchema("LiveState", json);
                return wanted.test(LiveState.fromJson(json));
              });
      LiveState state = LiveState.fromJson(found);
      assertThat(Json.write(state.toJson())).isEqualTo(Json.write(found));
      return state;
    }
  }

  @Test
  void aRunningTaskShowsItsTextAndItsPrompt() throws Exception {
    JobId job = api.submit("poem", "generate", "a");
    LiveState prefill =
        await(
            state ->
                state.running().size() == 1
                    && state.running().getFirst().phase() == LiveTask.Phase.PREFILL);
    LiveTask task = prefill.running().getFirst();
    assertThat(task.taskId()).hasToString(LiveTestServer.task(job));
    assertThat(task.ownId()).isEqualTo(job);
    assertThat(task.type()).isEqualTo("generate");
    assertThat(task.worker()).isEqualTo("here");
    assertThat(task.prompt()).isEqualTo(new LiveTask.Prompt(3, 7));
    assertThat(task.output()).isNull();

    model.say("a", "Once ", "x".repeat(400));
    LiveTask generating =
        await(
                state ->
                    state.running().getFirst().phase() == LiveTask.Phase.GENERATE
                        && state.running().getFirst().output().tokens() == 2)
            .running()
            .getFirst();
    assertThat(generating.name()).isEqualTo("poem");
    assertThat(generating.prompt()).isEqualTo(new LiveTask.Prompt(7, 7));
    assertThat(generating.output().length()).isEqualTo(405);
    assertThat(generating.output().tail()).isEqualTo("x".repeat(300));
    assertThat(generating.output().tokensPerSecond()).isPositive();

    model.end("a");
    LiveState done = await(state -> state.running().isEmpty());
    assertThat(done.runningTotal()).isZero();
  }

  @Test
  void countsAndTheHeadOfTheQueueAreThere() throws Exception {
    JobId first = api.submit("first", "nowhere", "a", "b");
    JobId second = api.submit("second", "nowhere", "c");
    LiveState state = await(now -> now.waitingTotal() == 2 && now.counts().complete());
    assertThat(state.waiting()).extracting(WaitingJob::ownId).containsExactly(first, second);
    assertThat(state.waiting()).extracting(WaitingJob::place).containsExactly(1, 2);
    assertThat(state.waiting()).extracting(WaitingJob::name).containsExactly("first", "second");
    assertThat(state.counts().jobs().get(JobState.PENDING)).isEqualTo(2);
    assertThat(state.counts().tasks().get(TaskState.PENDING)).isEqualTo(3);
    assertThat(state.counts().jobs()).containsOnlyKeys(JobState.values());
    for (int i = 0; i < 30; i++) {
      api.submit("more", "nowhere", "x");
    }
    LiveState many = await(now -> now.waitingTotal() == 32);
    assertThat(many.waiting()).hasSize(LiveStateReader.MAX_JOBS);
  }

  @Test
  void aJobAtItsGateIsNamed() throws Exception {
    StageSpec gate =
        StageSpec.builder("nowhere").gate(true).tasks(List.of(TaskSpec.of("a"))).build();
    JobId job = api.submit("gated", gate);
    LiveState state = await(now -> !now.atGate().isEmpty());
    assertThat(state.counts().atGate()).isEqualTo(1);
    assertThat(state.atGate())
        .containsExactly(
            new GatedJob(EntityId.of(job).uuid(), job, "gated", 1, EntityId.of(job, 1).uuid()));
    api.store.approve(job, 1, Cause.SYSTEM);
    assertThat(await(now -> now.counts().atGate() == 0).atGate()).isEmpty();
  }

  @Test
  void tasksOfRemoteWorkersRunUntilTheyAnswer() throws Exception {
    api.submit("far", "resize", "a");
    ClaimRequest request = new ClaimRequest(Set.of("resize"), 1, "w-7", Duration.ofHours(1));
    Claim claim = api.store.claim(request).getFirst();
    LiveTask task = await(now -> now.runningTotal() == 1).running().getFirst();
    assertThat(task.worker()).isEqualTo("w-7");
    assertThat(task.phase()).isEqualTo(LiveTask.Phase.RUNNING);
    assertThat(task.model()).isNull();
    api.store.complete(claim, TaskResult.of("done"));
    LiveState done = await(now -> now.runningTotal() == 0);
    assertThat(done.rates().tasks()).as("one has ended").isPositive();
  }

  @Test
  void onlySoManyRunningTasksAreListed() throws Exception {
    for (int i = 0; i < 30; i++) {
      api.submit("near", "generate", "n" + i);
    }
    for (int i = 0; i < 80; i++) {
      api.submit("far", "resize", "a");
    }
    assertThat(api.store.claim(new ClaimRequest(Set.of("resize"), 80, "w", Duration.ofHours(1))))
        .hasSize(80);
    LiveState state = await(now -> now.runningTotal() == 110);
    assertThat(state.running()).hasSize(RunningTaskList.MAX_TASKS);
    assertThat(state.running()).extracting(LiveTask::startTime).isSorted();
    for (int i = 0; i < 30; i++) {
      model.end("n" + i);
    }
    await(now -> now.runningTotal() == 80);
  }
}
