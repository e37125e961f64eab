package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.collecting;
import static dev.millrace.core.store.contract.ContractJobs.held;
import static dev.millrace.core.store.contract.ContractJobs.job;
import static dev.millrace.core.store.contract.ContractJobs.openJob;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.LogLimits;
import dev.millrace.core.job.Adoption;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.random.StatusCountsCheck;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A retry is a new job that adopts what the ended one completed. */
abstract class RetryContract extends ContractCase {
  private static final TaskResult ONE =
      new TaskResult(TaskResult.Kind.RESULT, "one", JsonObject.create().put("model", "house"));
  private static final TaskResult VECTOR = new TaskResult(TaskResult.Kind.EMBEDDING, "[0.5]");
  private static final JsonObject TERMS = Json.object("{\"seed\":7}");

  final void failForGood(Claim claim) {
    assertThat(store.fail(claim, Failure.permanent("broken"))).isEqualTo(Outcome.DONE);
  }

  final JobId retry(JobId ended, int adopted, int tasks) {
    RetryResult result = store.retry(RetryRequest.of(ended));
    assertThat(result).isEqualTo(new RetryResult(Outcome.DONE, result.id(), true, adopted, tasks));
    assertThat(view(result.id()).header().retryOf()).isEqualTo(ended);
    return result.id();
  }

  /** A job whose first stage completed, and whose second failed with one of its tasks completed. */
  private JobId failed() {
    JobId id = submit(stage("a", "1", "2"), stage("b", "3", "4"), stage("c", "5"));
    Claim first = claimOne("a");
    assertThat(store.freeze(first, JsonObject.create().put("seed", 6))).isEqualTo(Outcome.DONE);
    assertThat(store.freeze(first, TERMS)).isEqualTo(Outcome.DONE);
    assertThat(store.complete(first, ONE)).isEqualTo(Outcome.DONE);
    assertThat(store.complete(claimOne("a"), VECTOR)).isEqualTo(Outcome.DONE);
    complete(claimOne("b"), "three");
    Claim last = claimOne("b");
    assertThat(store.freeze(last, TERMS)).isEqualTo(Outcome.DONE);
    failForGood(last);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    return id;
  }

  @Test
  void aRetryAdoptsWhatWasCompletedAndBeginsWhereItFailed() {
    JobId id = failed();
    List<Object> before = everything(id);
    clock.advance(MINUTE);
    JobId again = retry(id, 3, 5);
    assertThat(state(again)).isEqualTo(JobState.PENDING);
    assertThat(view(again).startedAt()).isNull();
    assertThat(stageState(again, 1)).isEqualTo(StageState.COMPLETED);
    assertThat(stageState(again, 2)).isEqualTo(StageState.PENDING);
    assertThat(view(again).stages()).extracting(s -> s.adopted()).containsExactly(2, 1, 0);
    assertThat(taskState(again, 2, 2)).isEqualTo(TaskState.PENDING);
    assertThat(everything(id)).as("the ended job").isEqualTo(before);

    Claim next = claimOne("a", "b", "c");
    assertThat(next.inputText()).isEqualTo("4");
    assertThat(next.frozenTerms()).as("terms of a task that is run again").isNull();
    assertNothingToClaim("a", "b", "c");
    complete(next, "four");
    workOff("c");
    assertThat(state(again)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void anAdoptedTaskHasItsResultAndSaysWhereItIsFrom() {
    JobId id = failed();
    Instant submitted = view(id).createdAt();
    clock.advance(MINUTE);
    JobId again = retry(id, 3, 5);
    TaskView first = task(again, 1, 1);
    assertThat(first.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(first.result()).isEqualTo(ONE);
    assertThat(first.adoption()).isEqualTo(new Adoption(id, 1, submitted));
    assertThat(first.attempts()).isZero();
    assertThat(first.worker()).isNull();
    assertThat(first.startedAt()).isNull();
    assertThat(first.completedAt()).isEqualTo(clock.instant());
    assertThat(task(again, 1, 2).result()).isEqualTo(VECTOR);
    assertThat(task(again, 2, 1).adoption()).isEqualTo(new Adoption(id, 1, submitted));
    assertThat(task(again, 2, 2).adoption()).isNull();
    assertThat(task(id, 1, 1).adoption()).isNull();
    assertThat(terms(again)).containsExactly(new Fact.TermsFrozen(1, 1, TERMS));
  }

  private List<Fact> terms(JobId id) {
    return events(id).stream()
        .map(LogEntry::fact)
        .filter(Fact.TermsFrozen.class::isInstance)
        .toList();
  }

  @Test
  void whatIsAdoptedOutlivesTheEndedJobAndACrash() {
    JobId id = failed();
    JobId again = retry(id, 3, 5);
    List<Object> before = everything(again);
    clock.advance(MINUTE);
    assertThat(store.prune(clock.instant(), Set.of(JobState.FAILED))).isEqualTo(1);
    assertThat(everything(again)).isEqualTo(before);
    crash();
    assertThat(everything(again)).isEqualTo(before);
    complete(claimOne("b"), "four");
    crash();
    workOff("c");
    assertThat(state(again)).isEqualTo(JobState.COMPLETED);
    assertThat(task(again, 1, 1).result()).isEqualTo(ONE);
  }

  @Test
  void aRetryOfARetryNamesTheJobThatProducedTheResult() {
    JobId id = failed();
    Instant submitted = view(id).createdAt();
    clock.advance(MINUTE);
    JobId again = retry(id, 3, 5);
    complete(claimOne("b"), "four");
    failForGood(claimOne("c"));
    clock.advance(MINUTE);
    JobId third = retry(again, 4, 5);
    assertThat(task(third, 1, 1).adoption()).isEqualTo(new Adoption(id, 1, submitted));
    assertThat(task(third, 2, 2).adoption())
        .isEqualTo(new Adoption(again, 2, view(again).createdAt()));
    assertThat(terms(third)).containsExactly(new Fact.TermsFrozen(1, 1, TERMS));
  }

  @Test
  void aRetryFromTheStartAdoptsNothing() {
    JobId id = failed();
    RetryResult result = store.retry(RetryRequest.fromStart(id));
    assertThat(result).isEqualTo(new RetryResult(Outcome.DONE, result.id(), true, 0, 5));
    assertThat(view(result.id()).header().retryOf()).isEqualTo(id);
    assertThat(claimOne("a").inputText()).isEqualTo("1");
    assertThat(task(result.id(), 1, 1).result()).isNull();
  }

  @Test
  void aJobThatCompletedWithAllItsTasksIsRepeated() {
    JobId id = submit(stage("a", "1", "2"));
    workOff("a");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
    JobId again = retry(id, 0, 2);
    workOff("a");
    assertThat(state(again)).isEqualTo(JobState.COMPLETED);
    assertThat(task(again, 1, 1).adoption()).isNull();
  }

  @Test
  void ofACompletedJobWithFailedTasksOnlyTheseRunAgain() {
    JobId id = submit(collecting(1, stage("a", "1", "2", "3")), stage("b", "4"));
    complete(claimOne("a"), "one");
    failForGood(claimOne("a"));
    complete(claimOne("a"), "three");
    workOff("b");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
    JobId again = retry(id, 3, 4);
    assertThat(stageState(again, 2)).isEqualTo(StageState.CREATED);
    assertThat(taskState(again, 2, 1)).isEqualTo(TaskState.COMPLETED);
    Claim second = claimOne("a", "b");
    assertThat(second.inputText()).isEqualTo("2");
    complete(second, "two");
    assertThat(state(again)).isEqualTo(JobState.COMPLETED);
    assertThat(task(again, 1, 3).result()).isEqualTo(TaskResult.of("three"));
  }

  @Test
  void anAbortedJobIsAdoptedToo() {
    JobId id = submit(stage("a", "1", "2"));
    complete(claimOne("a"), "one");
    Claim running = claimOne("a");
    store.abort(id, ANNA);
    assertThat(store.complete(running, TaskResult.of("late")))
        .isInstanceOf(Outcome.Cancelled.class);
    JobId again = retry(id, 1, 2);
    Claim second = claimOne("a");
    assertThat(second.inputText()).isEqualTo("2");
    assertThat(second.attempt()).isEqualTo(1);
  }

  @Test
  void ifNothingIsLeftToDoTheNewJobCompletesAtOnce() {
    for (String type : List.of("generate", "a")) { // a plain prompt has other files
      JobId id = submit(stage(type, "1"));
      Claim running = claimOne(type);
      store.pause(id, ANNA);
      assertThat(store.complete(running, ONE)).isEqualTo(Outcome.DONE);
      store.abort(id, ANNA);
      assertThat(state(id)).isEqualTo(JobState.ABORTED);
      JobId again = retry(id, 1, 1);
      assertThat(state(again)).isEqualTo(JobState.COMPLETED);
      assertThat(view(again).startedAt()).isNull();
      store.delete(id);
      assertThat(task(again, 1, 1).result()).isEqualTo(ONE);
      crash();
      assertThat(task(again, 1, 1).result()).isEqualTo(ONE);
    }
  }

  @Test
  void onlyAnEndedJobCanBeRetried() {
    JobId id = submit(stage("a", "1"));
    JobId paused = store.submit(held(job(stage("a", "2"))));
    for (RetryRequest request : List.of(RetryRequest.of(id), RetryRequest.fromStart(paused))) {
      RetryResult refused = store.retry(request);
      assertThat(refused.outcome()).isInstanceOf(Outcome.Refused.class);
      assertThat(((Outcome.Refused) refused.outcome()).reason())
          .isEqualTo(Outcome.Reason.JOB_NOT_ENDED);
      assertThat(refused.id()).isNull();
    }
    JobId none = new JobId("1_2_3");
    assertThat(store.retry(RetryRequest.of(none)))
        .isEqualTo(RetryResult.rejected(new Outcome.Missing("no job 1_2_3 to retry")));
    assertThat(store.list(JobReader.Query.all())).containsExactly(id, paused);
    store.abort(paused, ANNA);
    assertThat(state(retry(paused, 0, 1))).isEqualTo(JobState.PENDING);
  }

  @Test
  void aRetryKeepsWhoAsksForItAndWhy() {
    JobId partly = failed();
    JobId ended = store.submit(job(stage("a", "1")).withSubmittedBy("nightly"));
    store.abort(ended, ANNA);
    JobId plain = retry(ended, 0, 1);
    assertThat(view(plain).header().submittedBy()).isNull();
    assertThat(store.events(plain, 1, 10)).isEmpty();

    for (JobId again : List.of(ended, partly)) {
      RetryRequest request =
          RetryRequest.of(again).by("page", Cause.user("page", "the disk was full"));
      JobId id = Objects.requireNonNull(store.retry(request).id());
      assertThat(view(id).header().submittedBy()).isEqualTo("page");
      crash();
      assertThat(view(id).header().submittedBy()).isEqualTo("page");
      assertThat(store.events(id, 1, 1))
          .extracting(LogEntry::fact)
          .containsExactly(
              new Fact.WorkerLogLine(0, 0, "info", "run again by page: the disk was full"));
      assertThat(state(id)).isEqualTo(JobState.PENDING);
    }
    RetryRequest wordy =
        RetryRequest.of(ended).by(null, Cause.user(null, "x".repeat(LogLimits.MAX_COMMENT + 1)));
    assertThatThrownBy(() -> store.retry(wordy)).hasMessageContaining("comment too long");
  }

  @Test
  void aRetryUnderAnIdHappensOnce() {
    JobId id = failed();
    JobId wanted = Work.generateId();
    RetryResult first = store.retry(RetryRequest.of(id).as(wanted));
    assertThat(first).isEqualTo(new RetryResult(Outcome.DONE, wanted, true, 3, 5));
    List<Object> before = everything(wanted);
    assertThat(store.retry(RetryRequest.of(id).as(wanted)))
        .isEqualTo(new RetryResult(Outcome.DONE, wanted, false, 3, 5));
    assertThat(everything(wanted)).isEqualTo(before);
    assertThat(store.list(JobReader.Query.all())).containsExactlyInAnyOrder(id, wanted);
  }

  @Test
  void stagesAndTasksThatWereAddedAreRunAgainToo() {
    JobId id = store.submit(openJob());
    store.addStage(id, stage("a", "1"), ANNA);
    store.addTasks(id, 1, stage("a", "2").tasks(), ANNA);
    complete(claimOne("a"), "one");
    failForGood(claimOne("a"));
    JobId again = retry(id, 1, 2);
    assertThat(view(again).header().open()).isFalse();
    complete(claimOne("a"), "two");
    assertThat(state(again)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void anOpenJobOfOnePromptIsAPlainOneWhenItRunsAgain() {
    JobId id = store.submit(openJob());
    store.addStage(id, stage("generate", "hello"), ANNA);
    Claim running = claimOne("generate");
    store.pause(id, ANNA);
    assertThat(store.complete(running, ONE)).isEqualTo(Outcome.DONE);
    store.abort(id, ANNA);
    JobId again = retry(id, 1, 1);
    assertThat(state(again)).isEqualTo(JobState.COMPLETED);
    assertThat(task(again, 1, 1).result()).isEqualTo(ONE);
  }

  @Test
  void watchersAndCountsLearnOfTheNewJob() {
    store.statusCounts();
    JobId id = failed();
    List<JobId> changed = new ArrayList<>();
    try (var _ = store.onChange(changed::add)) {
      assertThat(changed).isEmpty();
      JobId again = retry(id, 3, 5);
      assertThat(changed).contains(again);
      StatusCountsCheck.requireCounted(store);
    }
  }
}
