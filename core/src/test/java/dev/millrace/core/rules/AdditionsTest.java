package dev.millrace.core.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer.Reason;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdditionsTest {
  private static final Instant NOW = Instant.parse("2026-03-01T08:00:00Z");
  private static final Cause ANNA = Cause.user("anna", null);

  private final JobFold fold = open();

  private static JobFold open() {
    JobFold fold = JobFold.created(new JobPlan(NOW, false, false, List.of()), Moves.IGNORED);
    fold.apply(new Entry(1, NOW, new Fact.Submitted()));
    return fold;
  }

  private Turn turn() {
    return new Turn(fold, NOW, Turn.Openings.NONE);
  }

  private static TaskSpec task(Integer attempts) {
    return new TaskSpec("x", false, attempts, JsonObject.create(), null);
  }

  private void addStage(StageSpec spec) {
    assertThat(Additions.addStage(turn(), spec, ANNA)).isEqualTo(Answer.DONE);
  }

  @Test
  void runsOfTasksWithTheSameAttemptsAreOneFact() {
    addStage(StageSpec.of("a", List.of()));
    Turn turn = turn();
    List<TaskSpec> tasks =
        List.of(task(null), task(null), task(3), task(3), task(3), task(1), task(null));
    assertThat(Additions.addTasks(turn, 1, tasks, ANNA)).isEqualTo(Answer.DONE);
    assertThat(turn.entries().stream().map(Entry::fact))
        .containsExactly(
            new Fact.TasksAdded(1, 2, 0, ANNA),
            new Fact.TasksAdded(1, 3, 3, ANNA),
            new Fact.TasksAdded(1, 1, 1, ANNA),
            new Fact.TasksAdded(1, 1, 0, ANNA));
    assertThat(fold.stage(1).size()).isEqualTo(7);
    assertThat(fold.stage(1).count(TaskState.PENDING)).isEqualTo(7);
    assertThat(fold.stage(1).task(5).limit()).isEqualTo(3);
    assertThat(fold.stage(1).task(6).limit()).isEqualTo(1);
    assertThat(fold.stage(1).task(7).limit()).isZero();
  }

  @Test
  void aStageComesWithItsTasksInOneTurn() {
    Turn turn = turn();
    StageSpec spec = StageSpec.of("a", List.of(task(2), task(null)));
    assertThat(Additions.addStage(turn, spec, ANNA)).isEqualTo(Answer.DONE);
    assertThat(turn.entries().stream().map(Entry::fact).toList().subList(0, 3))
        .containsExactly(
            new Fact.StageAdded(1, StageSpec.of("a", List.of()), ANNA),
            new Fact.TasksAdded(1, 1, 2, Cause.SYSTEM),
            new Fact.TasksAdded(1, 1, 0, Cause.SYSTEM));
    assertThat(fold.stage(1).state()).isEqualTo(StageState.PENDING);
  }

  @Test
  void aRefusalRecordsNothing() {
    addStage(StageSpec.of("a", List.of(task(null))));
    Claims.claim(turn(), 1, 1, new Fact.Detail.Claimed(1, "w"));
    Turn turn = turn();
    assertThat(Additions.addTasks(turn, 1, List.of(task(null)), ANNA))
        .isEqualTo(
            new Answer.Refused(
                Reason.STAGE_RUNNING, "stage 1 is IN_PROGRESS; tasks are added before it begins"));
    assertThat(Additions.prioritize(turn, Priority.HIGH, Priority.HIGH, ANNA))
        .isEqualTo(new Answer.Refused(Reason.SAME, "the job's priority is HIGH already"));
    assertThat(Additions.describe(turn, 0, 1, JsonObject.create(), ANNA))
        .isInstanceOf(Answer.Missing.class);
    assertThat(Additions.allowsDelete(fold))
        .isEqualTo(
            new Answer.Refused(Reason.JOB_NOT_ENDED, "the job is IN_PROGRESS; abort it first"));
    Levers.pull(turn(), JobEvent.ABORT, ANNA);
    assertThat(Additions.addStage(turn, StageSpec.of("b", List.of()), ANNA))
        .isEqualTo(
            new Answer.Refused(Reason.JOB_ENDED, "the job is ABORTED and takes no more stages"));
    assertThat(turn.entries()).isEmpty();
    assertThat(Additions.allowsDelete(fold)).isEqualTo(Answer.DONE);
  }

  @Test
  void whatIsSoAlreadyIsSaidBeforeTheEnd() {
    Levers.pull(turn(), JobEvent.ABORT, ANNA);
    Turn turn = turn();
    assertThat(Additions.prioritize(turn, Priority.LOW, Priority.LOW, ANNA))
        .isEqualTo(new Answer.Refused(Reason.SAME, "the job's priority is LOW already"));
    Answer late = Additions.prioritize(turn, Priority.LOW, Priority.HIGH, ANNA);
    assertThat(((Answer.Refused) late).reason()).isEqualTo(Reason.JOB_ENDED);
  }

  @Test
  void anEmptyStageIsClosedOnceHoweverOftenItIsSaid() {
    addStage(StageSpec.of("a", List.of(task(null))));
    addStage(StageSpec.of("b", List.of()));
    Turn turn = turn();
    assertThat(Additions.addTasks(turn, 2, List.of(), ANNA)).isEqualTo(Answer.DONE);
    assertThat(turn.entries()).hasSize(1);
    assertThat(Additions.addTasks(turn, 2, List.of(), ANNA)).isEqualTo(Answer.DONE);
    assertThat(turn.entries()).hasSize(1);
    assertThat(((Answer.Refused) Additions.addTasks(turn, 2, List.of(task(null)), ANNA)).reason())
        .isEqualTo(Reason.SEALED);
  }

  @Test
  void anAddedTemplateSpeaksOfEarlierStages() {
    addStage(StageSpec.of("a", List.of(task(null))));
    Turn turn = turn();
    for (String bad : List.of("{{nonsense}}", "{{stages[2].results}}")) {
      assertThatThrownBy(() -> Additions.addStage(turn, each(bad), ANNA))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("stage 2: " + bad);
    }
    assertThat(turn.entries()).isEmpty();
    assertThat(Additions.addStage(turn, each("{{stages[1].results}}"), ANNA))
        .isEqualTo(Answer.DONE);
  }

  private static StageSpec each(String text) {
    return new StageSpec(
        "b",
        false,
        dev.millrace.core.stage.Tolerance.NONE,
        dev.millrace.core.task.TaskPolicy.DEFAULT,
        List.of(),
        text,
        JsonObject.create());
  }

  @Test
  void aRequestThatWasDoneIsKnownByItsId() {
    Turn turn = turn();
    Additions.addStage(turn, StageSpec.of("a", List.of()), ANNA.withOp("1"));
    Additions.addTasks(turn, 1, List.of(task(null)), ANNA.withOp("2"));
    Additions.describe(turn, 1, 1, JsonObject.create(), ANNA.withOp("3"));
    Additions.prioritize(turn, Priority.HIGH, Priority.LOW, ANNA.withOp("4"));
    assertThat(List.of("1", "2", "3", "4")).allMatch(fold::knows);
    assertThat(fold.knows("5")).isFalse();
    assertThat(fold.copy(Moves.IGNORED).knows("2")).isTrue();
  }

  @Test
  void whatIsRecordedIsWhatWillBeRead() {
    JsonObject written = JsonObject.create().put("n", 7).put("x", List.of(1, 2.50));
    Turn turn = turn();
    StageSpec spec =
        new StageSpec(
            "a",
            false,
            dev.millrace.core.stage.Tolerance.NONE,
            dev.millrace.core.task.TaskPolicy.DEFAULT,
            List.of(),
            null,
            written);
    Additions.addStage(turn, spec, ANNA);
    Additions.describe(turn, 0, 0, written, ANNA);
    for (Entry entry : turn.entries()) {
      assertThat(EntryJson.read(EntryJson.write(entry))).isEqualTo(entry);
    }
    assertThat(fold.metadata()).isEqualTo(Json.object("{\"n\":7,\"x\":[1,2.5]}"));
    written.put("n", 8);
    assertThat(fold.metadata().get("n")).as("a copy").isEqualTo(7L);
  }

  @Test
  void aCopyGrowsOnItsOwn() {
    addStage(StageSpec.of("a", List.of(task(null))));
    JobFold copy = fold.copy(Moves.IGNORED);
    Turn turn = new Turn(copy, NOW, Turn.Openings.NONE);
    Additions.addStage(turn, StageSpec.of("b", List.of()), ANNA);
    Additions.addTasks(turn, 1, List.of(task(null)), ANNA);
    Additions.addTasks(turn, 2, List.of(), ANNA);
    Additions.describe(turn, 1, 1, JsonObject.create().put("n", 1), ANNA);
    assertThat(fold.stageCount()).isEqualTo(1);
    assertThat(fold.stage(1).size()).isEqualTo(1);
    assertThat(fold.stage(1).task(1).metadata()).isNull();
    assertThat(copy.stageCount()).isEqualTo(2);
    assertThat(copy.stage(2).closed()).isTrue();
    JobFold again = copy.copy(Moves.IGNORED);
    assertThat(again.stage(2).closed()).isTrue();
    assertThat(again.stage(1).task(1).metadata()).isEqualTo(Json.object("{\"n\":1}"));
  }
}
