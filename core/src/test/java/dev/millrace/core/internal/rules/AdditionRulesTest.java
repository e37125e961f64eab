package dev.millrace.core.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdditionRulesTest {
  private static final Instant NOW = Instant.parse("2026-03-01T08:00:00Z");
  private static final Cause ANNA = Cause.user("anna", null);

  private final JobFold fold = open();

  private static JobFold open() {
    JobFold fold =
        JobFold.created(new JobPlan(NOW, false, false, List.of()), TransitionListener.IGNORED);
    fold.apply(new LogEntry(1, NOW, new Fact.Submitted()));
    return fold;
  }

  private JobUpdate turn() {
    return new JobUpdate(fold, NOW, JobUpdate.TemplateResolver.NONE);
  }

  private static TaskSpec task(Integer attempts) {
    return new TaskSpec("x", false, attempts, JsonObject.create(), null);
  }

  private void addStage(StageSpec spec) {
    assertThat(AdditionRules.addStage(turn(), spec, ANNA).isDone()).isTrue();
  }

  @Test
  void runsOfTasksWithTheSameAttemptsAreOneFact() {
    addStage(StageSpec.of("a", List.of()));
    JobUpdate update = turn();
    List<TaskSpec> tasks =
        List.of(task(null), task(null), task(3), task(3), task(3), task(1), task(null));
    assertThat(AdditionRules.addTasks(update, 1, tasks, ANNA).isDone()).isTrue();
    assertThat(update.entries().stream().map(LogEntry::fact))
        .containsExactly(
            new Fact.TasksAdded(1, 2, 0, ANNA),
            new Fact.TasksAdded(1, 3, 3, ANNA),
            new Fact.TasksAdded(1, 1, 1, ANNA),
            new Fact.TasksAdded(1, 1, 0, ANNA));
    assertThat(fold.stage(1).size()).isEqualTo(7);
    assertThat(fold.stage(1).count(TaskState.PENDING)).isEqualTo(7);
    assertThat(fold.stage(1).task(5).ownMaxAttempts()).isEqualTo(3);
    assertThat(fold.stage(1).task(6).ownMaxAttempts()).isEqualTo(1);
    assertThat(fold.stage(1).task(7).ownMaxAttempts()).isZero();
  }

  @Test
  void aStageIsAddedWithItsTasksInOneUpdate() {
    JobUpdate update = turn();
    StageSpec spec = StageSpec.of("a", List.of(task(2), task(null)));
    assertThat(AdditionRules.addStage(update, spec, ANNA).isDone()).isTrue();
    assertThat(update.entries().stream().map(LogEntry::fact).toList().subList(0, 3))
        .containsExactly(
            new Fact.StageAdded(1, StageSpec.of("a", List.of()), ANNA),
            new Fact.TasksAdded(1, 1, 2, Cause.SYSTEM),
            new Fact.TasksAdded(1, 1, 0, Cause.SYSTEM));
    assertThat(fold.stage(1).state()).isEqualTo(StageState.PENDING);
  }

  @Test
  void aRefusalRecordsNothing() {
    addStage(StageSpec.of("a", List.of(task(null))));
    ClaimRules.claim(turn(), 1, 1, new Fact.Detail.Claimed(1, "w"));
    JobUpdate update = turn();
    assertThat(AdditionRules.addTasks(update, 1, List.of(task(null)), ANNA))
        .isEqualTo(
            new Outcome.Refused(
                Reason.STAGE_RUNNING, "stage 1 is IN_PROGRESS; tasks are added before it begins"));
    assertThat(AdditionRules.prioritize(update, Priority.HIGH, Priority.HIGH, ANNA))
        .isEqualTo(new Outcome.Refused(Reason.SAME, "the job's priority is HIGH already"));
    assertThat(AdditionRules.replaceMetadata(update, 0, 1, JsonObject.create(), ANNA))
        .isInstanceOf(Outcome.Missing.class);
    assertThat(AdditionRules.allowsDelete(fold))
        .isEqualTo(
            new Outcome.Refused(Reason.JOB_NOT_ENDED, "the job is IN_PROGRESS; abort it first"));
    LeverRules.applyToJob(turn(), JobEvent.ABORT, ANNA);
    assertThat(AdditionRules.addStage(update, StageSpec.of("b", List.of()), ANNA))
        .isEqualTo(
            new Outcome.Refused(Reason.JOB_ENDED, "the job is ABORTED and takes no more stages"));
    assertThat(update.entries()).isEmpty();
    assertThat(AdditionRules.allowsDelete(fold)).isEqualTo(Outcome.DONE);
  }

  @Test
  void anUnchangedPriorityIsReportedBeforeAnEndedJob() {
    LeverRules.applyToJob(turn(), JobEvent.ABORT, ANNA);
    JobUpdate update = turn();
    assertThat(AdditionRules.prioritize(update, Priority.LOW, Priority.LOW, ANNA))
        .isEqualTo(new Outcome.Refused(Reason.SAME, "the job's priority is LOW already"));
    Outcome late = AdditionRules.prioritize(update, Priority.LOW, Priority.HIGH, ANNA);
    assertThat(((Outcome.Refused) late).reason()).isEqualTo(Reason.JOB_ENDED);
  }

  @Test
  void anEmptyStageIsClosedOnlyOnce() {
    addStage(StageSpec.of("a", List.of(task(null))));
    addStage(StageSpec.of("b", List.of()));
    JobUpdate update = turn();
    assertThat(AdditionRules.addTasks(update, 2, List.of(), ANNA).isDone()).isTrue();
    assertThat(update.entries()).hasSize(1);
    assertThat(AdditionRules.addTasks(update, 2, List.of(), ANNA).isDone()).isTrue();
    assertThat(update.entries()).hasSize(1);
    assertThat(
            ((Outcome.Refused) AdditionRules.addTasks(update, 2, List.of(task(null)), ANNA))
                .reason())
        .isEqualTo(Reason.SEALED);
  }

  @Test
  void anAddedTemplateMayUseOnlyEarlierStages() {
    addStage(StageSpec.of("a", List.of(task(null))));
    JobUpdate update = turn();
    for (String bad : List.of("{{nonsense}}", "{{stages[2].results}}")) {
      assertThatThrownBy(() -> AdditionRules.addStage(update, each(bad), ANNA))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("stage 2: " + bad);
    }
    assertThat(update.entries()).isEmpty();
    assertThat(AdditionRules.addStage(update, each("{{stages[1].results}}"), ANNA).isDone())
        .isTrue();
  }

  private static StageSpec each(String text) {
    return StageSpec.builder("b").each(text).build();
  }

  @Test
  void aRepeatedRequestIsRecognizedByItsId() {
    JobUpdate update = turn();
    AdditionRules.addStage(update, StageSpec.of("a", List.of()), ANNA.withOp("1"));
    AdditionRules.addTasks(update, 1, List.of(task(null)), ANNA.withOp("2"));
    AdditionRules.replaceMetadata(update, 1, 1, JsonObject.create(), ANNA.withOp("3"));
    AdditionRules.prioritize(update, Priority.HIGH, Priority.LOW, ANNA.withOp("4"));
    assertThat(List.of("1", "2", "3", "4")).allMatch(fold::hasRequest);
    assertThat(fold.hasRequest("5")).isFalse();
    assertThat(fold.copy(TransitionListener.IGNORED).hasRequest("2")).isTrue();
  }

  @Test
  void recordedValuesAreAsTheyWillBeReadBack() {
    JsonObject written = JsonObject.create().put("n", 7).put("x", List.of(1, 2.50));
    JobUpdate update = turn();
    StageSpec spec = StageSpec.builder("a").data(written).build();
    AdditionRules.addStage(update, spec, ANNA);
    AdditionRules.replaceMetadata(update, 0, 0, written, ANNA);
    for (LogEntry entry : update.entries()) {
      assertThat(LogEntryJson.read(LogEntryJson.write(entry))).isEqualTo(entry);
    }
    assertThat(fold.metadata()).isEqualTo(Json.object("{\"n\":7,\"x\":[1,2.5]}"));
    written.put("n", 8);
    assertThat(fold.metadata().get("n")).as("a copy").isEqualTo(7L);
  }

  @Test
  void aCopyIsIndependent() {
    addStage(StageSpec.of("a", List.of(task(null))));
    JobFold copy = fold.copy(TransitionListener.IGNORED);
    JobUpdate update = new JobUpdate(copy, NOW, JobUpdate.TemplateResolver.NONE);
    AdditionRules.addStage(update, StageSpec.of("b", List.of()), ANNA);
    AdditionRules.addTasks(update, 1, List.of(task(null)), ANNA);
    AdditionRules.addTasks(update, 2, List.of(), ANNA);
    AdditionRules.replaceMetadata(update, 1, 1, JsonObject.create().put("n", 1), ANNA);
    assertThat(fold.stageCount()).isEqualTo(1);
    assertThat(fold.stage(1).size()).isEqualTo(1);
    assertThat(fold.stage(1).task(1).metadata()).isNull();
    assertThat(copy.stageCount()).isEqualTo(2);
    assertThat(copy.stage(2).isClosed()).isTrue();
    JobFold again = copy.copy(TransitionListener.IGNORED);
    assertThat(again.stage(2).isClosed()).isTrue();
    assertThat(again.stage(1).task(1).metadata()).isEqualTo(Json.object("{\"n\":1}"));
  }

  @Test
  void waitingTasksShareOneObject() {
    addStage(StageSpec.of("a", Collections.nCopies(1_000, task(null))));
    assertThat(fold.stage(1).task(1_000)).isSameAs(fold.stage(1).task(1));
    JobUpdate update = turn();
    LeverRules.applyToJob(update, JobEvent.ABORT, ANNA);
    assertThat(fold.stage(1).task(1_000).state()).isEqualTo(TaskState.ABORTED);
    assertThat(fold.stage(1).task(1_000)).isSameAs(fold.stage(1).task(1));
  }

  @Test
  void tasksWithTheSameOwnLimitShareOneObject() {
    List<TaskSpec> tasks =
        Collections.nCopies(300, List.of(task(2), task(3), task(null))).stream()
            .flatMap(List::stream)
            .toList();
    JobFold submitted =
        JobFold.created(
            JobPlan.of(JobSpec.of(List.of(StageSpec.of("a", tasks))), NOW),
            TransitionListener.IGNORED);
    Set<TaskFold> different = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int task = 1; task <= tasks.size(); task++) {
      different.add(submitted.stage(1).task(task));
    }
    assertThat(different).hasSize(3);
    assertThat(submitted.stage(1).task(2).ownMaxAttempts()).isEqualTo(3);
  }

  @Test
  void aJobHasAMillionTasksAtMost() {
    List<TaskSpec> most = Collections.nCopies(StageSpec.MAX_TASKS, task(null));
    addStage(StageSpec.of("a", most));
    addStage(StageSpec.builder("b").each("{{result}}").build());
    addStage(StageSpec.of("c", most));
    addStage(StageSpec.of("d", most.subList(1, most.size())));
    assertThat(fold.size()).isLessThan(20_000_000);
    addStage(StageSpec.of("e", most));
    assertTooManyTasks(AdditionRules.addStage(turn(), StageSpec.of("f", most.subList(0, 2)), ANNA));
    assertThat(AdditionRules.addTasks(turn(), 4, most.subList(0, 1), ANNA).isDone()).isTrue();
  }

  /** Else an empty stage could be given tasks for many stages at once. */
  @Test
  void tasksCountForEachStageThatFollowsThem() {
    addStage(StageSpec.of("a", List.of()));
    for (int i = 0; i < 5; i++) {
      addStage(StageSpec.builder("b").each("{{result}}").build());
    }
    List<TaskSpec> most = Collections.nCopies(StageSpec.MAX_TASKS, task(null));
    assertTooManyTasks(AdditionRules.addTasks(turn(), 1, most, ANNA));
    assertThat(AdditionRules.addTasks(turn(), 1, most.subList(0, 100_000), ANNA).isDone()).isTrue();
  }

  private static void assertTooManyTasks(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Refused.class);
    assertThat(((Outcome.Refused) outcome).reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(outcome.message()).contains("at most 1000000 tasks");
  }
}
