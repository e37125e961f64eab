package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.attempts;
import static dev.millrace.core.store.contract.ContractJobs.openJob;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobControls.Added;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskPolicy;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What can be added to an open job, and what tasks can say about themselves. */
abstract class OpenJobRulesContract extends ContractCase {

  private int addStage(JobId id, StageSpec spec) {
    Added added = store.addStage(id, spec, ANNA);
    assertThat(added.outcome()).isEqualTo(Outcome.DONE);
    return added.first();
  }

  private static void assertRefused(Reason reason, Added added) {
    assertThat(added.outcome()).isInstanceOf(Outcome.Refused.class);
    assertThat(((Outcome.Refused) added.outcome()).reason()).isEqualTo(reason);
    assertThat(added.first()).isZero();
  }

  @Test
  void whatTheRulesForbidIsRefusedByNameAndChangesNothing() {
    JobId sealed = submit(stage("a", "x"));
    assertRefused(Reason.SEALED, store.addStage(sealed, stage("b"), ANNA));
    assertRefused(Reason.SEALED, store.addTasks(sealed, 1, List.of(TaskSpec.of("y")), ANNA));
    complete(claimOne("a"), "done");
    JobId id = store.submit(openJob(stage("a", "x", "y"), stage("b")));
    assertThat(store.addTasks(id, 3, List.of(), ANNA).outcome())
        .isInstanceOf(Outcome.Missing.class);
    assertThat(store.addTasks(id, 0, List.of(), ANNA).outcome())
        .isInstanceOf(Outcome.Missing.class);
    Claim claim = claimOne("a");
    List<Object> before = everything(id);
    List<TaskSpec> late = List.of(TaskSpec.of("late"));
    assertRefused(Reason.STAGE_RUNNING, store.addTasks(id, 1, late, ANNA));
    List<TaskSpec> many = Collections.nCopies(StageSpec.MAX_TASKS + 1, TaskSpec.of(""));
    assertRefused(Reason.TOO_LARGE, store.addTasks(id, 2, many, ANNA));
    assertThat(everything(id)).isEqualTo(before);
    complete(claim, "done");
    workOff("a");
    assertRefused(Reason.STAGE_ENDED, store.addTasks(id, 1, late, ANNA));
    store.abort(id, ANNA);
    assertRefused(Reason.JOB_ENDED, store.addStage(id, stage("c"), ANNA));
    assertRefused(Reason.STAGE_ENDED, store.addTasks(id, 2, late, ANNA));
    JobId nobody = new JobId("1_2_3");
    assertThat(store.addStage(nobody, stage("a"), ANNA))
        .satisfies(added -> assertThat(added.outcome()).isInstanceOf(Outcome.Missing.class))
        .extracting(Added::first)
        .isEqualTo(0);
    assertThat(store.addTasks(nobody, 1, late, ANNA).outcome()).isInstanceOf(Outcome.Missing.class);
  }

  @Test
  void theNumberOfStagesIsLimited() {
    StageSpec[] most = new StageSpec[JobSpec.MAX_STAGES];
    java.util.Arrays.fill(most, stage("a"));
    JobId id = store.submit(openJob(most));
    assertRefused(Reason.TOO_LARGE, store.addStage(id, stage("a"), ANNA));
  }

  @Test
  void aTaskThatIsAddedLaterCannotBeATemplate() {
    JobId id = store.submit(openJob(stage("a")));
    List<TaskSpec> template = List.of(new TaskSpec("{{results}}", true));
    assertThatThrownBy(() -> store.addTasks(id, 1, template, ANNA))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("template");
    assertThatThrownBy(() -> store.addStage(id, StageSpec.of("b", template), ANNA))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("template");
    assertThat(view(id).stages()).hasSize(1);
  }

  @Test
  void anInputThatIsTooLargeIsNotAdded() {
    JobId id = store.submit(openJob(stage("a")));
    List<TaskSpec> large = List.of(TaskSpec.of("x".repeat(JobSpec.MAX_PROMPT_BYTES + 1)));
    assertThatThrownBy(() -> store.addTasks(id, 1, large, ANNA))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.addStage(id, StageSpec.of("b", large), ANNA))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(view(id).stages()).hasSize(1);
    assertThat(view(id).stages().getFirst().total()).isZero();
  }

  @Test
  void aTaskMayHaveItsOwnLimitOfAttempts() {
    TaskPolicy two = attempts(2);
    StageSpec given =
        ContractJobs.with(
            two, StageSpec.of("a", List.of(ContractJobs.task("1", 1), TaskSpec.of("2"))));
    JobId id = store.submit(openJob(ContractJobs.collecting(1.0, given)));
    List<TaskSpec> more =
        List.of(
            ContractJobs.task("3", 3),
            ContractJobs.task("4", 3),
            TaskSpec.of("5"),
            ContractJobs.task("6", 1));
    assertThat(store.addTasks(id, 1, more, ANNA)).isEqualTo(new Added(Outcome.DONE, 3));
    crash();
    assertThat(store.tasks(id, 1, 1, 10))
        .extracting(TaskView::maxAttempts)
        .containsExactly(1, 2, 3, 3, 2, 1);
    for (int round = 1; round <= 3; round++) {
      for (Claim claim : claim(10, "a")) {
        assertThat(claim.attempt()).isEqualTo(round);
        fail(claim, "broken");
      }
      clock.advance(SECOND);
    }
    assertThat(store.tasks(id, 1, 1, 10))
        .extracting(TaskView::attempts)
        .containsExactly(1, 2, 3, 3, 2, 1);
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void aRenderedTaskKeepsItsAttemptsMetadataAndTrace() {
    JsonObject mine = Json.object("{\"mine\":1}");
    TaskSpec template = new TaskSpec("{{results[1]}}!", true, 4, mine, null);
    JobId id = submit(stage("a", "x"), StageSpec.of("b", List.of(template)));
    assertThat(task(id, 2, 1).maxAttempts()).isEqualTo(4);
    workOff("a");
    crash();
    TaskView view = task(id, 2, 1);
    assertThat(view.input()).isEqualTo("X!");
    assertThat(view.maxAttempts()).isEqualTo(4);
    assertThat(view.metadata()).isEqualTo(mine);
  }

  @Test
  void limitsOfAnAddedStageCount() {
    JobId id = store.submit(openJob());
    addStage(id, ContractJobs.with(ContractJobs.queueTimeout(MINUTE), stage("a", "x")));
    clock.advance(MINUTE);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }
}
