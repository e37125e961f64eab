package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.openJob;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.LogLimits;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * How deep and how large values may be. Those at a limit are read back unchanged; transitions are
 * never refused for the size of a log.
 */
abstract class ValueLimitsContract extends ContractCase {
  private static final int DEEPEST = Json.MAX_INPUT_DEPTH;
  private static final int LARGEST = LogLimits.MAX_ENTRY_BYTES;

  /** A value that differs from others by its mark. */
  private static JsonObject deep(String mark, int levels) {
    String inner = "[".repeat(levels - 1) + "\"" + mark + "\"" + "]".repeat(levels - 1);
    return Json.object("{\"x\":" + inner + "}");
  }

  private static StageSpec stageOf(String type, TaskSpec... tasks) {
    return StageSpec.builder(type)
        .tasks(List.of(tasks))
        .data(deep(type + " data", DEEPEST))
        .metadata(deep(type + " metadata", DEEPEST))
        .build();
  }

  private static TaskSpec taskOf(String mark) {
    return new TaskSpec(
        deep(mark, DEEPEST).values(), false, null, deep(mark + " metadata", DEEPEST), null);
  }

  private JobId submitted() {
    return store.submit(
        JobSpec.builder()
            .name("deep")
            .metadata(deep("metadata", DEEPEST))
            .stages(List.of(stageOf("a", taskOf("1"), taskOf("2"))))
            .open(true)
            .data(deep("data", DEEPEST))
            .build());
  }

  private void assertUnchanged(JobId id) {
    List<Object> before = everything(id);
    crash();
    assertThat(everything(id)).isEqualTo(before);
    reopen();
    assertThat(everything(id)).isEqualTo(before);
  }

  @Test
  void submittedAndAddedValuesMayBeThatDeep() {
    JobId id = submitted();
    assertUnchanged(id);
    assertThat(store.addTasks(id, 1, List.of(taskOf("3")), ANNA).outcome()).isEqualTo(Outcome.DONE);
    assertThat(store.addStage(id, stageOf("b", taskOf("4")), ANNA).outcome())
        .isEqualTo(Outcome.DONE);
    assertUnchanged(id);
    assertThat(view(id).header().data()).isEqualTo(deep("data", DEEPEST));
    assertThat(view(id).stages().get(1).spec().data()).isEqualTo(deep("b data", DEEPEST));
    assertThat(task(id, 1, 3).input()).isEqualTo(deep("3", DEEPEST).values());
    store.abort(id, ANNA);
    assertUnchanged(id);
  }

  @Test
  void newMetadataMayBeThatDeep() {
    JobId id = submit(stage("a", "x", "y"));
    assertThat(store.replaceMetadata(id, 0, 0, deep("job", DEEPEST), ANNA)).isEqualTo(Outcome.DONE);
    assertThat(store.replaceMetadata(id, 1, 0, deep("stage", DEEPEST), ANNA))
        .isEqualTo(Outcome.DONE);
    assertThat(store.replaceMetadata(id, 1, 2, deep("task", DEEPEST), ANNA))
        .isEqualTo(Outcome.DONE);
    assertUnchanged(id);
    assertThat(view(id).header().metadata()).isEqualTo(deep("job", DEEPEST));
    workOff("a");
    assertThat(store.replaceMetadata(id, 1, 1, deep("ended", DEEPEST), ANNA))
        .isEqualTo(Outcome.DONE);
    assertUnchanged(id);
    assertThat(task(id, 1, 1).metadata()).isEqualTo(deep("ended", DEEPEST));
  }

  @Test
  void workersAnswersMayBeThatDeep() {
    JobId plain = submit(stage("generate", "x"));
    JobId batch = submit(stage("a", "x", "y"));
    for (String type : List.of("generate", "a")) {
      Claim claim = claimOne(type);
      assertThat(store.freeze(claim, deep("terms", DEEPEST))).isEqualTo(Outcome.DONE);
      TaskResult result = TaskResult.of("done").withReceipt(deep("receipt", DEEPEST));
      assertThat(store.complete(claim, result)).isEqualTo(Outcome.DONE);
    }
    Failure failure = Failure.of("broken").withPartial("half", deep("partial", DEEPEST));
    assertThat(store.fail(claimOne("a"), failure)).isEqualTo(Outcome.DONE);
    assertUnchanged(plain);
    assertUnchanged(batch);
    assertThat(task(plain, 1, 1).result().receipt()).isEqualTo(deep("receipt", DEEPEST));
    assertThat(task(batch, 1, 1).result().receipt()).isEqualTo(deep("receipt", DEEPEST));
  }

  @Test
  void oneLevelMoreIsRefusedAndChangesNothing() {
    JobId id = submit(stage("a", "x"));
    List<Object> before = everything(id);
    for (int task = 0; task <= 1; task++) {
      int number = task;
      assertThatThrownBy(
              () -> store.replaceMetadata(id, number, number, deep("x", DEEPEST + 1), ANNA))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("metadata may be nested at most 100 levels deep");
    }
    assertThat(everything(id)).isEqualTo(before);
    assertUnchanged(id);
    workOff("a");
    before = everything(id);
    assertThatThrownBy(() -> store.replaceMetadata(id, 0, 0, deep("x", DEEPEST + 1), ANNA))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(everything(id)).isEqualTo(before);
  }

  /** An object of that many bytes of JSON. */
  private static JsonObject sized(int bytes) {
    return JsonObject.create().put("x", "x".repeat(bytes - "{\"x\":\"\"}".length()));
  }

  private static void assertTooLarge(Outcome outcome, String rule) {
    assertThat(outcome).isInstanceOf(Outcome.Refused.class);
    assertThat(((Outcome.Refused) outcome).reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(outcome.message()).contains(rule);
  }

  private List<Fact.WorkerLogLine> logLines(JobId id) {
    return events(id).stream()
        .map(LogEntry::fact)
        .filter(Fact.WorkerLogLine.class::isInstance)
        .map(Fact.WorkerLogLine.class::cast)
        .toList();
  }

  @Test
  void oneMetadataHasALimit() {
    JobId id = submit(stage("a", "x"));
    JsonObject most = sized(LARGEST);
    assertThat(Json.write(most).getBytes(StandardCharsets.UTF_8).length).isEqualTo(LARGEST);
    assertThat(store.replaceMetadata(id, 0, 0, most, ANNA)).isEqualTo(Outcome.DONE);
    for (int stage = 0; stage <= 1; stage++) {
      Outcome refused = store.replaceMetadata(id, stage, stage, sized(LARGEST + 1), ANNA);
      assertTooLarge(refused, "the metadata has 2000001 bytes of JSON, at most 2000000");
    }
    crash();
    assertThat(view(id).header().metadata()).isEqualTo(most);
  }

  @Test
  void anAddedStageHasALimit() {
    JobId id = store.submit(openJob(stage("a", "x")));
    StageSpec large = StageSpec.builder("b").data(sized(LARGEST)).build();
    assertTooLarge(store.addStage(id, large, ANNA).outcome(), "the stage has 20000");
    StageSpec fits = StageSpec.builder("b").data(sized(LARGEST - 200)).build();
    assertThat(store.addStage(id, fits, ANNA).outcome()).isEqualTo(Outcome.DONE);
    assertThat(view(id).stages()).hasSize(2);
  }

  @Test
  void afterTheLastByteOfMetadataTheJobStillRunsAndEnds() {
    assumeTrue(
        fixture().isOneProcess() || Boolean.getBoolean("millrace.proof"),
        "two servers read all of it again at every call");
    JobId id = store.submit(openJob(stage("a", "x", "y")));
    for (long left = LogLimits.MAX_ADDED_BYTES; left > 0; left -= LARGEST) {
      assertThat(store.replaceMetadata(id, 0, 0, sized(LARGEST), ANNA)).isEqualTo(Outcome.DONE);
    }
    Object before = view(id);
    String rule = "a job takes at most 64000000 bytes of new metadata and added stages";
    assertTooLarge(store.replaceMetadata(id, 1, 1, JsonObject.create(), ANNA), rule);
    assertTooLarge(store.addStage(id, stage("b"), ANNA).outcome(), rule);
    assertThat(view(id)).isEqualTo(before);
    crash();
    assertTooLarge(store.replaceMetadata(id, 0, 0, JsonObject.create(), ANNA), rule);
    assertThat(store.pause(id, ANNA)).isEqualTo(Outcome.DONE);
    assertThat(store.resume(id, ANNA)).isEqualTo(Outcome.DONE);
    assertThat(store.release(claimOne("a"), "later")).isEqualTo(Outcome.DONE);
    workOff("a");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
    assertTooLarge(store.replaceMetadata(id, 0, 0, JsonObject.create(), ANNA), rule);
  }

  @Test
  void aLongLineOfAWorkerIsCut() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    store.log(claim, "info", "y".repeat(LogLimits.MAX_LINE));
    store.log(claim, "info", "z".repeat(LogLimits.MAX_LINE + 7));
    List<Fact.WorkerLogLine> lines = logLines(id);
    assertThat(lines.getFirst().text()).isEqualTo("y".repeat(LogLimits.MAX_LINE));
    assertThat(lines.getLast().text())
        .isEqualTo("z".repeat(LogLimits.MAX_LINE) + "… (7 more characters)");
  }

  @Test
  void whenATaskHasLoggedTooMuchOneLineSaysSoAndTheRestIsDropped() {
    JobId id = submit(stage("a", "x", "y"));
    List<Claim> claims = claim(2, "a");
    String line = "y".repeat(LogLimits.MAX_LINE - "info".length());
    int most = LogLimits.MAX_TASK_LOG_BYTES / LogLimits.MAX_LINE;
    for (int i = 0; i < most + 5; i++) {
      store.log(claims.getFirst(), "info", line);
    }
    store.log(claims.getLast(), "info", "another task");
    List<Fact.WorkerLogLine> lines = logLines(id);
    assertThat(lines).hasSize(most + 2);
    assertThat(lines.get(most - 1).text()).isEqualTo(line);
    assertThat(lines.get(most).text())
        .isEqualTo("further lines of this task are dropped: it has logged 1000000 bytes");
    assertThat(lines.getLast().text()).isEqualTo("another task");
    store.release(claims.getFirst(), "again");
    crash();
    store.log(claimOne("a"), "info", "another attempt");
    assertThat(logLines(id)).hasSize(most + 2);
    assertThat(store.complete(claimOne("a"), TaskResult.of("done"))).isEqualTo(Outcome.DONE);
  }

  @Test
  void aLongMessageOfAWorkerIsCut() {
    JobId id = submit(ContractJobs.with(ContractJobs.attempts(2), stage("a", "x")));
    String most = "y".repeat(LogLimits.MAX_ERROR);
    assertThat(store.fail(claimOne("a"), Failure.of(most))).isEqualTo(Outcome.DONE);
    assertThat(task(id, 1, 1).error()).isEqualTo(most);
    clock.advance(MINUTE);
    assertThat(store.release(claimOne("a"), most + "z")).isEqualTo(Outcome.DONE);
    assertThat(store.fail(claimOne("a"), Failure.of(most + "😀"))).isEqualTo(Outcome.DONE);
    assertThat(task(id, 1, 1).error()).isEqualTo(most + "… (2 more characters)");
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.FAILED);
    assertThat(events(id))
        .extracting(LogEntry::fact)
        .filteredOn(
            fact ->
                fact instanceof Fact.TaskChanged of && of.detail() instanceof Fact.Detail.Released)
        .extracting(fact -> ((Fact.Detail.Released) ((Fact.TaskChanged) fact).detail()).reason())
        .containsExactly(most + "… (1 more characters)");
  }

  @Test
  void whatALeverSaysOfItselfHasALimit() {
    JobId id = submit(stage("a", "x"));
    List<Object> before = everything(id);
    String name = "n".repeat(LogLimits.MAX_NAME);
    String comment = "c".repeat(LogLimits.MAX_COMMENT);
    for (Cause cause :
        List.of(Cause.user(null, comment + "c"), Cause.user(null, null).withOp(name + "n"))) {
      assertThatThrownBy(() -> store.replaceMetadata(id, 0, 0, JsonObject.create(), cause))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageMatching("(comment|op) too long: \\d+ characters, at most \\d+");
    }
    assertThat(everything(id)).isEqualTo(before);
    Cause wordy = Cause.user(name + "n", comment + "c").withOp(name);
    assertThat(store.pause(id, wordy)).as("cut, never refused").isEqualTo(Outcome.DONE);
    crash();
    assertThat(state(id)).isEqualTo(JobState.PAUSED);
    assertThat(events(id).getLast().fact())
        .isEqualTo(
            new Fact.JobChanged(
                JobEvent.PAUSE,
                Cause.user(name + "… (1 more characters)", comment + "… (1 more characters)")
                    .withOp(name)));
  }
}
