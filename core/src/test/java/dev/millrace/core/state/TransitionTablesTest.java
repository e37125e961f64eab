package dev.millrace.core.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TaskTransitions;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every pair of state and event of the three tables, compared with a list written by hand. */
class TransitionTablesTest {

  private static final ExpectedTable<JobState, JobEvent> JOB =
      new ExpectedTable<>(
          """
          ENQUEUE  | S | CREATED                            | PENDING
          START    | U | CREATED                            | PENDING
          RESUME   | U | PAUSED                             | PENDING
          PAUSE    | U | CREATED PENDING IN_PROGRESS        | PAUSED
          ABORT    | U | CREATED PENDING IN_PROGRESS PAUSED | ABORTED
          BEGIN    | S | PENDING                            | IN_PROGRESS
          COMPLETE | S | PENDING IN_PROGRESS                | COMPLETED
          FAIL     | S | PENDING IN_PROGRESS                | FAILED
          """,
          JobState.class,
          JobEvent.class);

  private static final ExpectedTable<StageState, StageEvent> STAGE =
      new ExpectedTable<>(
          """
          OPEN     | S | CREATED                             | PENDING
          HOLD     | S | CREATED PENDING IN_PROGRESS         | WAITING
          APPROVE  | U | WAITING                             | PENDING
          BEGIN    | S | PENDING                             | IN_PROGRESS
          COMPLETE | S | PENDING IN_PROGRESS                 | COMPLETED
          FAIL     | S | PENDING IN_PROGRESS                 | FAILED
          ABORT    | S | CREATED PENDING WAITING IN_PROGRESS | ABORTED
          """,
          StageState.class,
          StageEvent.class);

  private static final ExpectedTable<TaskState, TaskEvent> TASK =
      new ExpectedTable<>(
          """
          ENQUEUE  | S   | CREATED                             | PENDING
          ADOPT    | S   | CREATED PENDING                     | COMPLETED
          CLAIM    | W   | PENDING RETRIED                     | IN_PROGRESS
          COMPLETE | W   | IN_PROGRESS                         | COMPLETED
          RETRY    | W S | IN_PROGRESS                         | RETRIED
          FAIL     | W S | IN_PROGRESS                         | FAILED
          RELEASE  | S   | IN_PROGRESS                         | RETRIED
          CEILING  | S   | IN_PROGRESS                         | FAILED
          EXPIRE   | S   | PENDING RETRIED                     | FAILED
          ABORT    | S   | CREATED PENDING IN_PROGRESS RETRIED | ABORTED
          """,
          TaskState.class,
          TaskEvent.class);

  @Test
  void theJobTableIsAsExpected() {
    assertSame(JobTransitions.TABLE, JOB);
    assertFinal(
        JobTransitions.TABLE, EnumSet.of(JobState.COMPLETED, JobState.FAILED, JobState.ABORTED));
  }

  @Test
  void theStageTableIsAsExpected() {
    assertSame(StageTransitions.TABLE, STAGE);
    assertFinal(
        StageTransitions.TABLE,
        EnumSet.of(StageState.COMPLETED, StageState.FAILED, StageState.ABORTED));
  }

  @Test
  void theTaskTableIsAsExpected() {
    assertSame(TaskTransitions.TABLE, TASK);
    assertFinal(
        TaskTransitions.TABLE,
        EnumSet.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.ABORTED));
  }

  private static <S extends Enum<S>, E extends Enum<E>> void assertSame(
      TransitionTable<S, E> table, ExpectedTable<S, E> expected) {
    int moves = 0;
    for (S state : table.states()) {
      Set<E> legal = new HashSet<>();
      for (E event : table.events()) {
        S to = expected.target(state, event);
        if (to == null) {
          assertRefused(table, state, event);
        } else {
          assertThat(table.next(state, event)).as("%s in %s", event, state).contains(to);
          assertThat(table.move(state, event)).isEqualTo(to);
          assertThat(table.sources(event)).contains(state);
          legal.add(event);
          moves++;
        }
        assertThat(by(table, state, event))
            .as("who may %s in %s", event, state)
            .isEqualTo(expected.by(state, event));
      }
      assertThat(table.legal(state)).isEqualTo(legal);
    }
    assertThat(moves).isEqualTo(expected.size());
  }

  private static <S extends Enum<S>, E extends Enum<E>> void assertRefused(
      TransitionTable<S, E> table, S state, E event) {
    assertThat(table.next(state, event)).as("%s in %s", event, state).isEmpty();
    assertThat(table.sources(event)).doesNotContain(state);
    String legal = table.legal(state).isEmpty() ? "nothing" : table.legal(state).toString();
    assertThatThrownBy(() -> table.move(state, event))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessage(table.refusal(state, event))
        .hasMessageStartingWith(
            table.entity() + ": cannot " + event + " from " + state + "; legal: " + legal);
  }

  private static <S extends Enum<S>, E extends Enum<E>> Set<Actor> by(
      TransitionTable<S, E> table, S state, E event) {
    return table.rows().stream()
        .filter(row -> row.event() == event && row.from().contains(state))
        .findFirst()
        .map(TransitionTable.Row::by)
        .orElse(Set.of());
  }

  private static <S extends Enum<S>, E extends Enum<E>> void assertFinal(
      TransitionTable<S, E> table, Set<S> finals) {
    for (S state : table.states()) {
      assertThat(table.isFinal(state)).as("%s is final", state).isEqualTo(finals.contains(state));
    }
  }

  @Test
  void theStatesKnowWhetherTheyAreFinalOrOpen() {
    for (JobState state : JobState.values()) {
      assertThat(state.isFinal()).isEqualTo(JobTransitions.TABLE.isFinal(state));
      assertThat(state.isOpen())
          .isEqualTo(state == JobState.PENDING || state == JobState.IN_PROGRESS);
    }
    for (StageState state : StageState.values()) {
      assertThat(state.isFinal()).isEqualTo(StageTransitions.TABLE.isFinal(state));
      assertThat(state.isOpen())
          .isEqualTo(state == StageState.PENDING || state == StageState.IN_PROGRESS);
    }
    for (TaskState state : TaskState.values()) {
      assertThat(state.isFinal()).isEqualTo(TaskTransitions.TABLE.isFinal(state));
      assertThat(state.isQueued())
          .isEqualTo(state == TaskState.PENDING || state == TaskState.RETRIED);
    }
  }

  @Test
  void anAmbiguousTableIsRefused() {
    String rows = "FAIL | S | PENDING | FAILED |\nFAIL | U | PENDING | ABORTED |";
    assertThatThrownBy(() -> TransitionTable.of("job", JobState.class, JobEvent.class, rows))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("job: two rows for FAIL from PENDING");
  }

  @Test
  void aMalformedTableIsRefused() {
    for (String row :
        new String[] {"FAIL | S | PENDING | FAILED", "FAIL | X | PENDING | FAILED |"}) {
      assertThatThrownBy(() -> TransitionTable.of("job", JobState.class, JobEvent.class, row))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("job: ");
    }
  }
}
