package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.api.jobs.StateMachine;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.state.TransitionTable;
import dev.millrace.core.task.TaskTransitions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tables of the API are the tables. */
class StateMachinesTest {
  @Test
  void everyRowOfEveryTableIsThere() {
    List<StateMachine> machines = new ArrayList<>();
    try (JobnikTestServer api = new JobnikTestServer()) {
      for (Object machine : api.get("/v1/state-machines").object().list("machines")) {
        machines.add(StateMachine.fromJson(JsonObject.of(machine, "machine")));
      }
    }
    assertThat(machines)
        .extracting(StateMachine::entity)
        .containsExactly("job", "stage", "task", "sequence");
    assertSame(machines.get(0), JobTransitions.TABLE);
    assertSame(machines.get(1), StageTransitions.TABLE);
    assertSame(machines.get(2), TaskTransitions.TABLE);
    StateMachine sequence = machines.get(3);
    assertThat(sequence.initial()).isEqualTo("VALIDATING");
    assertThat(sequence.states().stream().filter(StateMachine.State::isFinal))
        .extracting(StateMachine.State::name)
        .containsExactly("DONE");
    assertThat(sequence.transitions())
        .contains(
            new StateMachine.Transition(
                "MORE_TOKENS",
                List.of("SYSTEM"),
                List.of("HEAD"),
                "EMBED",
                sequence.transitions().stream()
                    .filter(it -> it.event().equals("MORE_TOKENS"))
                    .findFirst()
                    .orElseThrow()
                    .when()));
  }

  private static <S extends Enum<S>, E extends Enum<E>> void assertSame(
      StateMachine machine, TransitionTable<S, E> table) {
    assertThat(machine.initial()).isEqualTo(table.states().getFirst().name());
    assertThat(machine.states())
        .extracting(StateMachine.State::name)
        .isEqualTo(table.states().stream().map(Enum::name).toList());
    for (S state : table.states()) {
      assertThat(machine.states().get(state.ordinal()).isFinal()).isEqualTo(table.isFinal(state));
    }
    assertThat(machine.transitions()).hasSameSizeAs(table.rows());
    for (int i = 0; i < table.rows().size(); i++) {
      TransitionTable.Row<S, E> row = table.rows().get(i);
      assertThat(machine.transitions().get(i))
          .isEqualTo(
              new StateMachine.Transition(
                  row.event().name(),
                  row.by().stream().map(Enum::name).toList(),
                  row.from().stream().map(Enum::name).toList(),
                  row.to().name(),
                  row.when()));
    }
  }
}
