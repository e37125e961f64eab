package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Values of the greatest depth are read back unchanged. */
abstract class JsonDepthContract extends ContractCase {
  private static final int MOST = Json.MAX_INPUT_DEPTH;

  /** A value that differs from others by its mark. */
  private static JsonObject deep(String mark, int levels) {
    String inner = "[".repeat(levels - 1) + "\"" + mark + "\"" + "]".repeat(levels - 1);
    return Json.object("{\"x\":" + inner + "}");
  }

  private static StageSpec stageOf(String type, TaskSpec... tasks) {
    return StageSpec.builder(type)
        .tasks(List.of(tasks))
        .data(deep(type + " data", MOST))
        .metadata(deep(type + " metadata", MOST))
        .build();
  }

  private static TaskSpec taskOf(String mark) {
    return new TaskSpec(
        deep(mark, MOST).values(), false, null, deep(mark + " metadata", MOST), null);
  }

  private JobId submitted() {
    return store.submit(
        JobSpec.builder()
            .name("deep")
            .metadata(deep("metadata", MOST))
            .stages(List.of(stageOf("a", taskOf("1"), taskOf("2"))))
            .open(true)
            .data(deep("data", MOST))
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
    assertThat(view(id).header().data()).isEqualTo(deep("data", MOST));
    assertThat(view(id).stages().get(1).spec().data()).isEqualTo(deep("b data", MOST));
    assertThat(task(id, 1, 3).input()).isEqualTo(deep("3", MOST).values());
    store.abort(id, ANNA);
    assertUnchanged(id);
  }

  @Test
  void newMetadataMayBeThatDeep() {
    JobId id = submit(stage("a", "x", "y"));
    assertThat(store.replaceMetadata(id, 0, 0, deep("job", MOST), ANNA)).isEqualTo(Outcome.DONE);
    assertThat(store.replaceMetadata(id, 1, 0, deep("stage", MOST), ANNA)).isEqualTo(Outcome.DONE);
    assertThat(store.replaceMetadata(id, 1, 2, deep("task", MOST), ANNA)).isEqualTo(Outcome.DONE);
    assertUnchanged(id);
    assertThat(view(id).header().metadata()).isEqualTo(deep("job", MOST));
    workOff("a");
    assertThat(store.replaceMetadata(id, 1, 1, deep("ended", MOST), ANNA)).isEqualTo(Outcome.DONE);
    assertUnchanged(id);
    assertThat(task(id, 1, 1).metadata()).isEqualTo(deep("ended", MOST));
  }

  @Test
  void workersAnswersMayBeThatDeep() {
    JobId plain = submit(stage("generate", "x"));
    JobId batch = submit(stage("a", "x", "y"));
    for (String type : List.of("generate", "a")) {
      Claim claim = claimOne(type);
      assertThat(store.freeze(claim, deep("terms", MOST))).isEqualTo(Outcome.DONE);
      TaskResult result = TaskResult.of("done").withReceipt(deep("receipt", MOST));
      assertThat(store.complete(claim, result)).isEqualTo(Outcome.DONE);
    }
    Failure failure = Failure.of("broken").withPartial("half", deep("partial", MOST));
    assertThat(store.fail(claimOne("a"), failure)).isEqualTo(Outcome.DONE);
    assertUnchanged(plain);
    assertUnchanged(batch);
    assertThat(task(plain, 1, 1).result().receipt()).isEqualTo(deep("receipt", MOST));
    assertThat(task(batch, 1, 1).result().receipt()).isEqualTo(deep("receipt", MOST));
  }

  @Test
  void oneLevelMoreIsRefusedAndChangesNothing() {
    JobId id = submit(stage("a", "x"));
    List<Object> before = everything(id);
    for (int task = 0; task <= 1; task++) {
      int number = task;
      assertThatThrownBy(() -> store.replaceMetadata(id, number, number, deep("x", MOST + 1), ANNA))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("metadata may be nested at most 100 levels deep");
    }
    assertThat(everything(id)).isEqualTo(before);
    assertUnchanged(id);
    workOff("a");
    before = everything(id);
    assertThatThrownBy(() -> store.replaceMetadata(id, 0, 0, deep("x", MOST + 1), ANNA))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(everything(id)).isEqualTo(before);
  }
}
