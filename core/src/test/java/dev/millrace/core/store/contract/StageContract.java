package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.collecting;
import static dev.millrace.core.store.contract.ContractJobs.each;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static dev.millrace.core.store.contract.ContractJobs.tasks;
import static dev.millrace.core.store.contract.ContractJobs.templates;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Stages that collect failures, and stages with templates over earlier results. */
abstract class StageContract extends ContractCase {

  @Test
  void aCollectingStageCompletesWithinItsTolerance() {
    JobId id = submit(collecting(0.5, tasks("a", 4)), stage("b", "x"));
    List<Claim> claims = claim(4, "a");
    fail(claims.get(0), "broken");
    fail(claims.get(3), "broken");
    assertThat(stageState(id, 1)).isEqualTo(StageState.IN_PROGRESS);
    complete(claims.get(1), "fine");
    complete(claims.get(2), "fine");
    assertThat(stageState(id, 1)).isEqualTo(StageState.COMPLETED);
    assertThat(view(id).stages().getFirst().tasks())
        .isEqualTo(Map.of(TaskState.FAILED, 2, TaskState.COMPLETED, 2));
    workOff("b");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void aCollectingStageFailsBeyondItsTolerance() {
    JobId id = submit(collecting(0.5, tasks("a", 4)));
    List<Claim> claims = claim(3, "a");
    fail(claims.get(2), "third");
    fail(claims.get(1), "second");
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    fail(claims.get(0), "first");
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(view(id).error())
        .isEqualTo("stage 1 (a): 3 of 4 tasks failed; first, task 1: first");
    assertThat(taskState(id, 1, 4)).isEqualTo(TaskState.ABORTED);
  }

  @Test
  void eachMakesATaskOfEveryResult() {
    JobId id = submit(tasks("a", 3), each("b", "{{index}}/{{input}}/{{result}}"));
    assertThat(view(id).stages().get(1).total()).isZero();
    List<Claim> claims = claim(3, "a");
    complete(claims.get(2), "three");
    complete(claims.get(0), "one {{result}}");
    complete(claims.get(1), "");
    assertThat(view(id).stages().get(1).total()).isEqualTo(3);
    crash();
    assertThat(claim(9, "b"))
        .extracting(Claim::input)
        .containsExactly("1/input 1/one {{result}}", "2/input 2/", "3/input 3/three");
    assertThat(events(id))
        .extracting(LogEntry::fact)
        .filteredOn(Fact.StageChanged.class::isInstance)
        .extracting(fact -> ((Fact.StageChanged) fact).opening())
        .contains(new Fact.Opening(3, null));
  }

  @Test
  void eachLeavesOutTasksThatHaveNoResult() {
    JobId id =
        submit(collecting(1.0, tasks("a", 3)), each("b", "{{index}}:{{result}}"), stage("c"));
    List<Claim> claims = claim(3, "a");
    complete(claims.get(0), "one");
    fail(claims.get(1), "broken");
    complete(claims.get(2), "three");
    assertThat(store.tasks(id, 2, 1, 9))
        .extracting(TaskView::input)
        .containsExactly("1:one", "3:three");
  }

  @Test
  void eachOverNothingIsCompletedAtOnce() {
    JobId id = submit(collecting(1.0, tasks("a", 2)), each("b", "{{result}}"));
    claim(2, "a").forEach(claim -> fail(claim, "broken"));
    assertThat(stageState(id, 2)).isEqualTo(StageState.COMPLETED);
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void anEachAfterAnEachUsesItsOwnPreviousStage() {
    JobId id = submit(tasks("a", 2), each("b", "<{{result}}>"), each("c", "{{input}}={{result}}"));
    workOff("a");
    workOff("b");
    assertThat(store.tasks(id, 3, 1, 9))
        .extracting(TaskView::input)
        .containsExactly("<INPUT 1>=<INPUT 1>", "<INPUT 2>=<INPUT 2>");
  }

  @Test
  void aTemplateCanUseAllEarlierResults() {
    StageSpec last =
        StageSpec.of(
            "c",
            List.of(
                new TaskSpec("{{results}}", true),
                new TaskSpec("{{stages[1].results.json}}", true),
                new TaskSpec("{{stages[1].results[2].name}}", true),
                TaskSpec.of("{{as it is}}")));
    JobId id = submit(tasks("a", 2), stage("b", "x"), last);
    assertThat(taskState(id, 3, 4))
        .as("a given task waits with the others")
        .isEqualTo(TaskState.CREATED);
    assertThat(task(id, 3, 1).input()).as("not rendered yet").isEqualTo("{{results}}");
    List<Claim> claims = claim(2, "a");
    complete(claims.get(0), "one");
    complete(claims.get(1), "{\"name\": \"two\"}");
    complete(claimOne("b"), "three");
    crash();
    assertThat(claim(9, "c"))
        .extracting(Claim::input)
        .containsExactly(
            "three", Json.write(List.of("one", "{\"name\": \"two\"}")), "two", "{{as it is}}");
  }

  @Test
  void aTemplateThatCannotBeRenderedFailsStageAndJob() {
    JobId id =
        submit(tasks("a", 2), templates("b", "{{results}}", "{{results[7]}}"), stage("c", "x"));
    workOff("a");
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(stageState(id, 2)).isEqualTo(StageState.FAILED);
    assertThat(stageState(id, 3)).as("it never began").isEqualTo(StageState.CREATED);
    assertThat(view(id).error()).isEqualTo("stage 2 (b): {{results[7]}}: task 7 has no result");
    assertThat(store.tasks(id, 2, 1, 9))
        .extracting(TaskView::state)
        .containsExactly(TaskState.ABORTED, TaskState.ABORTED);
    assertThat(store.tasks(id, 2, 1, 9))
        .extracting(TaskView::input)
        .as("as they were asked for")
        .containsExactly("{{results}}", "{{results[7]}}");
  }

  @Test
  void anEachThatCannotBeRenderedFailsStageAndJob() {
    JobId id = submit(tasks("a", 2), each("b", "{{result.name}}"));
    workOff("a");
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(view(id).error()).contains("{{result.name}}");
    assertThat(store.tasks(id, 2, 1, 9)).isEmpty();
  }

  @Test
  void templatesBehindAGateAreRenderedWhenItIsApproved() {
    JobId id = submit(tasks("a", 1), ContractJobs.gate(each("b", "<{{result}}>")));
    workOff("a");
    assertThat(view(id).stages().get(1).total()).isZero();
    crash();
    store.approve(id, 2, ANNA);
    assertThat(claimOne("b").input()).isEqualTo("<INPUT 1>");
  }

  @Test
  void templatesOpenDuringAPauseAndAreClaimedAfterIt() {
    JobId id = submit(tasks("a", 1), each("b", "<{{result}}>"));
    Claim claim = claimOne("a");
    store.pause(id, ANNA);
    complete(claim, "x");
    assertThat(stageState(id, 2)).isEqualTo(StageState.PENDING);
    assertNothingToClaim("b");
    store.resume(id, ANNA);
    assertThat(claimOne("b").input()).isEqualTo("<x>");
  }

  @Test
  void aStageThatIsHeldAfterItOpenedIsNotRenderedAgain() {
    JobId id = submit(tasks("a", 2), each("b", "<{{result}}>"));
    workOff("a");
    store.hold(id, 2, ANNA);
    crash();
    store.approve(id, 2, ANNA);
    assertThat(claim(9, "b")).extracting(Claim::input).containsExactly("<INPUT 1>", "<INPUT 2>");
    assertThat(events(id))
        .filteredOn(e -> e.fact() instanceof Fact.StageChanged fact && fact.opening() != null)
        .hasSize(1);
  }
}
