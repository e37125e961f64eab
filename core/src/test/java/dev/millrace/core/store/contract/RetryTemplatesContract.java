package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.collecting;
import static dev.millrace.core.store.contract.ContractJobs.each;
import static dev.millrace.core.store.contract.ContractJobs.gate;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static dev.millrace.core.store.contract.ContractJobs.templates;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a retry adopts where texts follow from earlier results, and where users approve. */
abstract class RetryTemplatesContract extends ContractCase {

  private void failForGood(Claim claim) {
    assertThat(store.fail(claim, Failure.permanent("broken"))).isEqualTo(Outcome.DONE);
  }

  private JobId retry(JobId ended, int adopted) {
    var result = store.retry(RetryRequest.of(ended));
    assertThat(result.outcome()).isEqualTo(Outcome.DONE);
    assertThat(result.adopted()).isEqualTo(adopted);
    return result.id();
  }

  @Test
  void tasksOfEachAreAdoptedIfAllBeforeThemIs() {
    JobId id = submit(stage("a", "x", "y", "z"), each("b", "{{index}} {{result}} of {{input}}"));
    workOff("a");
    complete(claimOne("b"), "first");
    failForGood(claimOne("b"));
    JobId again = retry(id, 4);
    assertThat(view(again).stages().get(1).total()).isEqualTo(3);
    assertThat(task(again, 2, 1).input()).isEqualTo("1 X of x");
    assertThat(task(again, 2, 1).result()).isEqualTo(TaskResult.of("first"));
    crash();
    assertThat(claim(9, "a", "b"))
        .extracting(Claim::inputText)
        .containsExactly("2 Y of y", "3 Z of z");
  }

  @Test
  void aStageThatNothingCompletedInIsRenderedFromAdoptedResults() {
    JobId id = submit(stage("a", "x", "y"), each("b", "{{result}}"), templates("c", "{{results}}"));
    workOff("a");
    failForGood(claimOne("b"));
    JobId again = retry(id, 2);
    assertThat(stageState(again, 2)).isEqualTo(StageState.PENDING);
    assertThat(claim(9, "b")).extracting(Claim::inputText).containsExactly("X", "Y");
    assertThat(stageState(again, 3)).isEqualTo(StageState.CREATED);
  }

  @Test
  void aFanInIsAdoptedIfAllBeforeItIs() {
    JobId id = submit(stage("a", "x"), templates("b", "all {{results}}"), stage("c", "last"));
    workOff("a");
    workOff("b");
    failForGood(claimOne("c"));
    JobId again = retry(id, 2);
    assertThat(task(again, 2, 1).input()).isEqualTo(task(id, 2, 1).input());
    assertThat(task(again, 2, 1).result()).isEqualTo(task(id, 2, 1).result());
    workOff("c");
    assertThat(state(again)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void textsThatMayChangeAreRenderedAndRunAgain() {
    StageSpec mixed =
        StageSpec.of("b", List.of(TaskSpec.of("given"), new TaskSpec("all {{results}}", true)));
    JobId id = submit(collecting(1, stage("a", "x", "y")), mixed, each("c", "{{result}}"));
    complete(claimOne("a"), "X");
    failForGood(claimOne("a"));
    workOff("b");
    workOff("c");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
    JobId again = retry(id, 2);
    assertThat(taskState(again, 2, 1)).as("given with the job").isEqualTo(TaskState.COMPLETED);
    assertThat(task(again, 2, 1).input()).isEqualTo("given");
    assertThat(taskState(again, 2, 2)).as("rendered").isEqualTo(TaskState.CREATED);
    assertThat(stageState(again, 2)).isEqualTo(StageState.CREATED);
    crash();
    complete(claimOne("a", "b", "c"), "Y");
    Claim fanIn = claimOne("a", "b", "c");
    assertThat(fanIn.inputText()).contains("X").contains("Y");
    assertThat(task(again, 2, 1).input()).isEqualTo("given");
    complete(fanIn, "both");
    assertThat(claim(9, "c")).extracting(Claim::inputText).containsExactly("GIVEN", "both");
  }

  @Test
  void anEmptyStageBetweenIsPassed() {
    JobId id =
        submit(collecting(1, stage("a", "x")), each("b", "{{result}}"), stage("c", "1", "2"));
    failForGood(claimOne("a"));
    complete(claimOne("c"), "one");
    failForGood(claimOne("c"));
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    JobId again = retry(id, 1);
    assertThat(taskState(again, 3, 1)).isEqualTo(TaskState.COMPLETED);
    workOff("a");
    assertThat(claim(9, "b")).extracting(Claim::inputText).containsExactly("X");
  }

  @Test
  void aGateStaysApprovedIfATaskBehindItIsAdopted() {
    JobId id = submit(stage("a", "x"), gate(templates("b", "{{results[1]}}", "{{results}}")));
    workOff("a");
    assertThat(store.approve(id, 2, ANNA)).isEqualTo(Outcome.DONE);
    complete(claimOne("b"), "one");
    failForGood(claimOne("b"));
    JobId again = retry(id, 2);
    assertThat(stageState(again, 2)).isEqualTo(StageState.PENDING);
    assertThat(approvals(again))
        .singleElement()
        .satisfies(
            approval -> {
              assertThat(approval.cause().who()).isEqualTo("anna");
              assertThat(approval.cause().comment()).isEqualTo("in job " + id + ": because");
            });
    workOff("b");
    assertThat(state(again)).isEqualTo(JobState.COMPLETED);
  }

  private List<Fact.StageChanged> approvals(JobId id) {
    return events(id).stream()
        .map(LogEntry::fact)
        .filter(Fact.StageChanged.class::isInstance)
        .map(Fact.StageChanged.class::cast)
        .filter(fact -> fact.event() == StageEvent.APPROVE)
        .toList();
  }

  @Test
  void aGateAsksAgainIfNothingBehindItIsAdopted() {
    JobId id = submit(stage("a", "x"), gate(stage("b", "y")), gate(stage("c", "z")));
    workOff("a");
    assertThat(store.approve(id, 2, ANNA)).isEqualTo(Outcome.DONE);
    failForGood(claimOne("b"));
    JobId again = retry(id, 1);
    assertThat(stageState(again, 1)).isEqualTo(StageState.COMPLETED);
    assertThat(stageState(again, 2)).isEqualTo(StageState.WAITING);
    assertThat(stageState(again, 3)).isEqualTo(StageState.WAITING);
    assertNothingToClaim("a", "b", "c");
    assertThat(store.approve(again, 2, ANNA)).isEqualTo(Outcome.DONE);
    workOff("b");
    assertThat(stageState(again, 3)).isEqualTo(StageState.WAITING);
  }

  @Test
  void aGateAsksAgainIfWhatWasApprovedMayChange() {
    JobId id = submit(collecting(1, stage("a", "x", "y")), gate(stage("b", "1", "2")));
    complete(claimOne("a"), "X");
    failForGood(claimOne("a"));
    assertThat(store.approve(id, 2, ANNA)).isEqualTo(Outcome.DONE);
    complete(claimOne("b"), "one");
    failForGood(claimOne("b"));
    JobId again = retry(id, 2);
    workOff("a");
    assertThat(stageState(again, 2)).isEqualTo(StageState.WAITING);
    assertThat(taskState(again, 2, 1)).isEqualTo(TaskState.COMPLETED);
    assertThat(store.approve(again, 2, ANNA)).isEqualTo(Outcome.DONE);
    assertThat(claimOne("b").inputText()).isEqualTo("2");
  }

  @Test
  void aGateThatNobodyApprovedInTheRetryAsksInTheNextOneToo() {
    JobId id = submit(collecting(1, stage("a", "x", "y")), gate(stage("b", "1", "2")));
    complete(claimOne("a"), "X");
    failForGood(claimOne("a"));
    assertThat(store.approve(id, 2, ANNA)).isEqualTo(Outcome.DONE);
    complete(claimOne("b"), "one");
    failForGood(claimOne("b"));
    JobId again = retry(id, 2);
    workOff("a");
    store.abort(again, ANNA); // at its gate, with an adopted task behind it
    JobId third = retry(again, 3);
    assertThat(stageState(third, 1)).isEqualTo(StageState.COMPLETED);
    assertThat(stageState(third, 2)).isEqualTo(StageState.WAITING);
    assertThat(approvals(third)).isEmpty();
  }

  @Test
  void aTemplateThatHasNoAnswerFailsAgain() {
    JobId id = submit(stage("a", "x"), templates("b", "{{results[1].name}}"));
    workOff("a");
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    JobId again = retry(id, 1);
    assertThat(state(again)).isEqualTo(JobState.FAILED);
    assertThat(view(again).error()).isEqualTo(view(id).error());
  }
}
