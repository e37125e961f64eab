package dev.millrace.http.jobnik;

import dev.millrace.api.jobs.StateMachine;
import dev.millrace.api.jobs.StateMachine.State;
import dev.millrace.api.jobs.StateMachine.Transition;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.state.Actor;
import dev.millrace.core.state.TransitionTable;
import dev.millrace.core.task.TaskTransitions;
import dev.millrace.server.infer.SequenceTable;
import java.util.List;

/** The transition tables as the API shows them. */
final class StateMachines {
  private StateMachines() {}

  static List<StateMachine> all() {
    return List.of(
        of(JobTransitions.TABLE),
        of(StageTransitions.TABLE),
        of(TaskTransitions.TABLE),
        sequence());
  }

  private static <S extends Enum<S>, E extends Enum<E>> StateMachine of(
      TransitionTable<S, E> table) {
    List<State> states =
        table.states().stream()
            .map(state -> new State(state.name(), table.isFinal(state)))
            .toList();
    List<Transition> transitions =
        table.rows().stream()
            .map(
                row ->
                    new Transition(
                        row.event().name(),
                        row.by().stream().map(Actor::name).toList(),
                        row.from().stream().map(Enum::name).toList(),
                        row.to().name(),
                        row.when()))
            .toList();
    return new StateMachine(table.entity(), states.getFirst().name(), states, transitions);
  }

  /** The table of a sequence has conditions instead of events, and nobody causes them. */
  private static StateMachine sequence() {
    List<State> states =
        SequenceTable.states().stream()
            .map(state -> new State(state.name(), state.isFinal()))
            .toList();
    List<Transition> transitions =
        SequenceTable.rows().stream()
            .map(
                row ->
                    new Transition(
                        row.condition(),
                        List.of(Actor.SYSTEM.name()),
                        row.from(),
                        row.to(),
                        row.when()))
            .toList();
    return new StateMachine("sequence", states.getFirst().name(), states, transitions);
  }
}
