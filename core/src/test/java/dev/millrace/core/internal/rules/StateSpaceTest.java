package dev.millrace.core.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.rules.PossibleActions.Kind;
import dev.millrace.core.internal.rules.StateSpace.Taken;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.state.TransitionTable;
import dev.millrace.core.task.TaskTransitions;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Explores all states of small jobs: {@link StateInvariants} holds in every state and along every
 * edge, nothing gets stuck, and every row of the three tables is taken.
 */
@Tag("slow")
class StateSpaceTest {
  private static final Set<Taken> TAKEN = ConcurrentHashMap.newKeySet();
  private static final Set<String> EXPLORED = new TreeSet<>();

  static Iterable<JobVariant> variants() {
    return JobVariant.all();
  }

  @ParameterizedTest
  @MethodSource("variants")
  void everyReachableStateKeepsTheInvariantsAndCanEnd(JobVariant variant) {
    StateSpace space = StateSpace.explore(variant);
    System.out.println(space);
    TAKEN.addAll(space.taken());
    EXPLORED.add(variant.name());

    EnumSet<Kind> withoutUsers = EnumSet.of(Kind.DILIGENT, Kind.TROUBLE);
    assertThat(space.stuck(withoutUsers, ExploredState::ended))
        .filteredOn(world -> !world.awaitsUser())
        .as("states without any gate from which no final state can be reached without users")
        .isEmpty();
    assertThat(space.stuck(withoutUsers, ExploredState::endedOrHeld))
        .as("states from which neither an end nor a user's gate can be reached")
        .isEmpty();
    assertThat(space.stuck(EnumSet.of(Kind.DILIGENT), ExploredState::endedOrHeld))
        .as("states from which claiming and completing alone lead neither to an end nor to a gate")
        .isEmpty();
    assertThat(space.jobStates())
        .as("reachable states of the job")
        .isEqualTo(
            variant.completes()
                ? EnumSet.allOf(JobState.class)
                : EnumSet.complementOf(EnumSet.of(JobState.COMPLETED)));
  }

  @AfterAll
  static void everyRowOfEveryTableIsTaken() {
    if (EXPLORED.size() < JobVariant.all().size()) {
      return; // only some of the tests were run
    }
    Set<Taken> never = new LinkedHashSet<>();
    addRows(JobTransitions.TABLE, never);
    addRows(StageTransitions.TABLE, never);
    addRows(TaskTransitions.TABLE, never);
    never.removeAll(TAKEN);
    assertThat(never).as("rows that no variant ever takes").isEmpty();
  }

  private static <S extends Enum<S>, E extends Enum<E>> void addRows(
      TransitionTable<S, E> table, Set<Taken> rows) {
    for (TransitionTable.Row<S, E> row : table.rows()) {
      row.from()
          .forEach(from -> rows.add(new Taken(table.entity(), row.event().name(), from.name())));
    }
  }
}
