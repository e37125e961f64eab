package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.attempts;
import static dev.millrace.core.store.contract.ContractJobs.each;
import static dev.millrace.core.store.contract.ContractJobs.gate;
import static dev.millrace.core.store.contract.ContractJobs.openJob;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobControls.Added;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TraceContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Open jobs: stages and tasks that are added after the submission. */
abstract class OpenJobContract extends ContractCase {

  private int addStage(JobId id, StageSpec spec) {
    Added added = store.addStage(id, spec, ANNA);
    assertThat(added.outcome()).isEqualTo(Outcome.DONE);
    return added.first();
  }

  private int addTasks(JobId id, int stage, String... inputs) {
    List<TaskSpec> tasks = java.util.Arrays.stream(inputs).map(TaskSpec::of).toList();
    Added added = store.addTasks(id, stage, tasks, ANNA);
    assertThat(added.outcome()).isEqualTo(Outcome.DONE);
    return added.first();
  }

  private void close(JobId id, int stage) {
    assertThat(store.addTasks(id, stage, List.of(), ANNA).outcome()).isEqualTo(Outcome.DONE);
  }

  private static void assertRefused(Reason reason, Added added) {
    assertThat(added.outcome()).isInstanceOf(Outcome.Refused.class);
    assertThat(((Outcome.Refused) added.outcome()).reason()).isEqualTo(reason);
    assertThat(added.first()).isZero();
  }

  @Test
  void anOpenJobWithoutStagesStaysOpen() {
    JobId id = store.submit(openJob());
    assertThat(state(id)).isEqualTo(JobState.PENDING);
    assertThat(view(id).stages()).isEmpty();
    assertThat(view(id).header().open()).isTrue();
    assertThat(store.tasks(id, 1, 1, 10)).isEmpty();
    assertThat(store.queuePosition(id)).as("it has nothing to wait for").isEmpty();
    store.sweep();
    crash();
    assertThat(state(id)).isEqualTo(JobState.PENDING);
    assertThat(store.spec(id)).contains(openJob());
  }

  @Test
  void stagesAndTasksAreAddedOneAfterTheOther() {
    JobId id = store.submit(openJob());
    assertThat(addStage(id, stage("a"))).isEqualTo(1);
    assertThat(stageState(id, 1)).isEqualTo(StageState.PENDING);
    assertThat(addTasks(id, 1, "x", "y")).isEqualTo(1);
    assertThat(addTasks(id, 1, "z")).isEqualTo(3);
    assertThat(addStage(id, stage("b", "w"))).isEqualTo(2);
    assertThat(stageState(id, 2)).isEqualTo(StageState.CREATED);
    assertNothingToClaim("b");
    List<Claim> claims = claim(10, "a");
    assertThat(claims).extracting(Claim::input).containsExactly("x", "y", "z");
    claims.forEach(claim -> complete(claim, "done"));
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    complete(claimOne("b"), "done");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void additionsSurviveACrashAndArePartOfTheSpec() {
    JobId id = store.submit(openJob(stage("a", "1")));
    addTasks(id, 1, "2");
    addStage(id, gate(stage("b", "3")));
    addStage(id, stage("c"));
    close(id, 3);
    List<Object> before = everything(id);
    assertThat(store.spec(id))
        .contains(openJob(stage("a", "1", "2"), gate(stage("b", "3")), stage("c")));
    crash();
    assertThat(everything(id)).isEqualTo(before);
    reopen();
    assertThat(everything(id)).isEqualTo(before);
    workOff("a");
    assertThat(store.approve(id, 2, ANNA)).isEqualTo(Outcome.DONE);
    workOff("b");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
    assertThat(task(id, 1, 2).result().text()).isEqualTo("2");
  }

  @Test
  void allFieldsOfStagesAndTasksAreKept() {
    JsonObject some = Json.object("{\"n\":7,\"deep\":{\"x\":[0.5,null]}}");
    TraceContext trace =
        new TraceContext("00-" + "a1".repeat(16) + "-" + "b2".repeat(8) + "-01", "k=v");
    TaskSpec task = new TaskSpec(some.values(), false, 3, some, trace);
    StageSpec spec =
        StageSpec.builder("a")
            .gate(true)
            .tolerance(FailureTolerance.ALL)
            .policy(attempts(2))
            .tasks(List.of(task))
            .data(some)
            .metadata(some)
            .trace(trace)
            .build();
    JobId id = store.submit(openJob());
    addStage(id, spec);
    addTasks(id, 1, "plain");
    JsonObject written = JsonObject.create().put("n", 7).put("deep", some.get("deep"));
    addStage(id, StageSpec.builder("b").policy(attempts(1)).data(written).build());
    crash();
    JobView.StageView view = view(id).stages().getFirst();
    assertThat(view.spec()).isEqualTo(spec.withTasks(List.of()));
    assertThat(view.metadata()).isEqualTo(some);
    assertThat(view(id).stages().getLast().spec().data()).isEqualTo(some);
    TaskView first = task(id, 1, 1);
    assertThat(first.input()).isEqualTo(some.values());
    assertThat(first.maxAttempts()).isEqualTo(3);
    assertThat(first.metadata()).isEqualTo(some);
    assertThat(first.trace()).isEqualTo(trace);
    assertThat(task(id, 1, 2).maxAttempts()).as("as the stage says").isEqualTo(2);
    store.approve(id, 1, ANNA);
    assertThat(claimOne("a").data()).isEqualTo(some);
  }

  @Test
  void anEmptyStageWaitsUntilItIsClosed() {
    JobId id = store.submit(openJob(stage("a")));
    addStage(id, stage("b", "x"));
    assertThat(stageState(id, 1)).isEqualTo(StageState.PENDING);
    assertThat(stageState(id, 2)).isEqualTo(StageState.CREATED);
    crash();
    assertThat(stageState(id, 1)).isEqualTo(StageState.PENDING);
    close(id, 1);
    assertThat(stageState(id, 1)).isEqualTo(StageState.COMPLETED);
    workOff("b");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void aStageThatIsClosedEarlyCompletesWhenItOpens() {
    JobId id =
        store.submit(openJob(stage("a", "x"), stage("b"), gate(stage("c")), stage("d", "y")));
    close(id, 2);
    close(id, 3);
    assertThat(stageState(id, 2)).isEqualTo(StageState.CREATED);
    assertRefused(Reason.SEALED, store.addTasks(id, 2, List.of(TaskSpec.of("late")), ANNA));
    crash();
    workOff("a");
    assertThat(stageState(id, 2)).isEqualTo(StageState.COMPLETED);
    assertThat(stageState(id, 3)).as("the gate still stands").isEqualTo(StageState.WAITING);
    store.approve(id, 3, ANNA);
    assertThat(stageState(id, 3)).isEqualTo(StageState.COMPLETED);
    workOff("d");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void addingNoTasksDoesNotCloseAStageThatHasTasks() {
    JobId id = store.submit(openJob(stage("a", "x")));
    int before = events(id).size();
    close(id, 1);
    assertThat(events(id)).hasSize(before);
    assertThat(addTasks(id, 1, "y")).isEqualTo(2);
  }

  @Test
  void anEachStageMayBeAddedAtAnyTime() {
    JobId id = store.submit(openJob(stage("a", "x", "y")));
    assertRefused(
        Reason.PREVIOUS_STAGE,
        store.addStage(store.submit(openJob()), each("b", "{{result}}"), ANNA));
    addStage(id, each("b", "<{{result}}>"));
    assertRefused(Reason.SEALED, store.addTasks(id, 2, List.of(TaskSpec.of("z")), ANNA));
    crash();
    workOff("a");
    assertThat(stageState(id, 2)).isEqualTo(StageState.PENDING);
    store.pause(id, ANNA);
    store.resume(id, ANNA);
    workOff("b");
    assertThat(store.tasks(id, 2, 1, 10)).extracting(TaskView::input).containsExactly("<X>", "<Y>");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void anEachStageOpensAtOnceIfThePreviousOneIsCompleted() {
    JobId id = store.submit(openJob(stage("a", "x")));
    store.pause(id, ANNA); // or the job would end with its only stage
    store.resume(id, ANNA);
    Claim claim = claimOne("a");
    store.pause(id, ANNA);
    complete(claim, "done");
    assertThat(stageState(id, 1)).isEqualTo(StageState.COMPLETED);
    assertThat(state(id)).isEqualTo(JobState.PAUSED);
    assertThat(addStage(id, each("b", "<{{result}}>"))).isEqualTo(2);
    assertThat(stageState(id, 2)).isEqualTo(StageState.PENDING);
    assertThat(task(id, 2, 1).input()).isEqualTo("<done>");
    assertThat(addStage(id, stage("c"))).isEqualTo(3);
    crash();
    store.resume(id, ANNA);
    workOff("b");
    close(id, 3);
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void anEachStageWithoutResultsCompletesInAnOpenJob() {
    JobId id =
        store.submit(
            openJob(ContractJobs.collecting(1.0, stage("a", "x")), each("b", "{{result}}")));
    fail(claimOne("a"), "broken");
    assertThat(stageState(id, 2)).isEqualTo(StageState.COMPLETED);
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void stagesCanBeAddedToAPausedOrHeldJob() {
    JobId id = store.submit(ContractJobs.held(openJob()));
    assertThat(state(id)).isEqualTo(JobState.PAUSED);
    addStage(id, stage("a"));
    addTasks(id, 1, "x");
    addStage(id, gate(stage("b")));
    assertNothingToClaim("a");
    store.resume(id, ANNA);
    workOff("a");
    assertThat(stageState(id, 2)).isEqualTo(StageState.WAITING);
    addTasks(id, 2, "y");
    assertThat(taskState(id, 2, 1)).isEqualTo(TaskState.PENDING);
    assertNothingToClaim("b");
    store.approve(id, 2, ANNA);
    assertThat(claimOne("b").input()).isEqualTo("y");
  }

  @Test
  void anEmptyStageCanBeHeldAndApproved() {
    JobId id = store.submit(openJob(stage("a")));
    assertThat(store.hold(id, 1, ANNA)).isEqualTo(Outcome.DONE);
    addTasks(id, 1, "x");
    assertNothingToClaim("a");
    assertThat(store.approve(id, 1, ANNA)).isEqualTo(Outcome.DONE);
    workOff("a");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void anAbortOrAFailureEndsAnOpenJob() {
    JobId aborted = store.submit(openJob());
    addStage(aborted, stage("a", "x"));
    assertThat(store.abort(aborted, ANNA)).isEqualTo(Outcome.DONE);
    assertThat(stageState(aborted, 1)).isEqualTo(StageState.ABORTED);
    JobId failed = store.submit(openJob(stage("a", "x"), stage("b")));
    fail(claimOne("a"), "broken");
    assertThat(state(failed)).isEqualTo(JobState.FAILED);
    assertThat(stageState(failed, 2)).isEqualTo(StageState.CREATED);
    assertThat(store.addTasks(failed, 2, List.of(TaskSpec.of("y")), ANNA).outcome())
        .isEqualTo(
            new Outcome.Refused(
                Outcome.Reason.JOB_ENDED, "the job is FAILED and takes no more tasks"));
  }

  @Test
  void everyAddedStageGetsItsOwnNumber() throws Exception {
    JobId id = store.submit(openJob());
    Set<Integer> numbers = ConcurrentHashMap.newKeySet();
    Set<String> layout = ConcurrentHashMap.newKeySet();
    List<Callable<Void>> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String name = "t" + i;
      all.add(
          () -> {
            int number = addStage(id, stage(name));
            assertThat(numbers.add(number)).as("stage %s is given once", number).isTrue();
            int task = addTasks(id, 1, name, name);
            assertThat(layout.add("" + task)).as("task %s is given once", task).isTrue();
            assertThat(task(id, 1, task).input()).isEqualTo(name);
            assertThat(view(id).stages().get(number - 1).type()).isEqualTo(name);
            return null;
          });
    }
    try (ExecutorService pool = Executors.newFixedThreadPool(8)) {
      for (var each : pool.invokeAll(all)) {
        each.get();
      }
    }
    assertThat(view(id).stages()).hasSize(40);
    assertThat(store.tasks(id, 1, 1, 1_000)).hasSize(80);
    List<Object> before = everything(id);
    crash();
    assertThat(everything(id)).isEqualTo(before);
  }
}
