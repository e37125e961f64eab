package dev.millrace.engine.internal.pipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PipeTransitionTableTest {
  private static final PipeTransitionTable TABLE = PipeTransitionTable.SEQUENCE;

  /** The table of the design, written a second time in another form. */
  private static Map<String, String> expected() {
    Map<String, String> moves = new TreeMap<>();
    for (String from : new String[] {"VALIDATING", "EMBED", "PROCESS_LAYERS", "HEAD", "SEND"}) {
      moves.put(from + " CANCELLED", "DONE FAILED");
      moves.put(from + " DEADLINE_PASSED", "DONE FAILED");
      moves.put(from + " STEP_FAILED", "DONE FAILED");
      moves.put(from + " PAUSED", "DONE RELEASED");
      moves.put(from + " PREEMPTED", "DONE RELEASED");
    }
    moves.put("VALIDATING NO_SEQUENCE", "DONE FAILED");
    moves.put("VALIDATING PIPE_MISSING", "DONE RELEASED");
    moves.put("VALIDATING PIPE_INCOMPLETE", "DONE RELEASED");
    moves.put("VALIDATING NOT_ORIGIN_FOR_HEAD", "DONE FAILED");
    moves.put("VALIDATING END_MISSING", "DONE FAILED");
    moves.put("VALIDATING STEP_REFUSED", "DONE RELEASED");
    moves.put("VALIDATING EMBED_DUE", "EMBED");
    moves.put("VALIDATING EMBED_DUE_ELSEWHERE", "SEND");
    moves.put("VALIDATING HEAD_DUE", "HEAD");
    moves.put("VALIDATING CHUNK_DUE", "EMBED");
    moves.put("VALIDATING NEXT_CHUNK_BEGUN", "DONE CONTINUED");
    moves.put("VALIDATING LAYERS_DUE", "PROCESS_LAYERS");
    moves.put("EMBED UPDATE_UNDELIVERED", "DONE FAILED");
    moves.put("EMBED NO_MODEL_FOR_LAYER", "DONE RELEASED");
    moves.put("EMBED NEXT_REMOTE", "SEND");
    moves.put("EMBED NEXT_LOCAL", "PROCESS_LAYERS");
    moves.put("PROCESS_LAYERS NO_LOCAL_SEGMENT", "DONE RELEASED");
    moves.put("PROCESS_LAYERS NEXT_REMOTE", "SEND");
    moves.put("PROCESS_LAYERS NEXT_LOCAL", "PROCESS_LAYERS");
    moves.put("PROCESS_LAYERS ALL_LAYERS_DONE", "HEAD");
    moves.put("PROCESS_LAYERS ALL_LAYERS_DONE_MORE_CHUNKS", "EMBED");
    moves.put("PROCESS_LAYERS NEXT_CHUNK_BEGUN", "DONE CONTINUED");
    moves.put("PROCESS_LAYERS ALL_LAYERS_DONE_ELSEWHERE", "SEND");
    moves.put("HEAD SEQUENCE_COMPLETE", "DONE COMPLETED");
    moves.put("HEAD UPDATE_UNDELIVERED", "DONE FAILED");
    moves.put("HEAD MORE_TOKENS", "EMBED");
    moves.put("HEAD EMBEDDED_NEXT_REMOTE", "SEND");
    moves.put("HEAD EMBEDDED_NEXT_LOCAL", "PROCESS_LAYERS");
    moves.put("SEND SENT", "DONE HANDED_OFF");
    moves.put("SEND UNREACHED", "DONE RELEASED");
    return moves;
  }

  @Test
  void everyPairOfStateAndConditionMovesAsDesignedOrIsRejectedByName() {
    Map<String, String> expected = expected();
    int legal = 0;
    for (SequenceState state : SequenceState.values()) {
      for (SequenceCondition condition : SequenceCondition.values()) {
        String to = expected.get(state + " " + condition);
        SequenceStep step = stepAt(state);
        if (to == null) {
          assertThatThrownBy(() -> step.move(condition))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("no transition on " + condition + " from " + state)
              .hasMessageContaining("legal: ");
          assertThat(step.state())
              .as("%s on %s leaves it as it was", state, condition)
              .isEqualTo(state);
        } else {
          step.move(condition);
          legal++;
          StepEnding ending = step.ending();
          assertThat(step.state() + (ending == null ? "" : " " + ending.kind()))
              .as("%s on %s", state, condition)
              .isEqualTo(to);
        }
      }
    }
    assertThat(legal).isEqualTo(expected.size()).isEqualTo(TABLE.rows().size());
  }

  /** Every state is reached from the beginning by transitions of the table. */
  private static SequenceStep stepAt(SequenceState state) {
    SequenceStep step = new SequenceStep(NextComputation.EMBED, 0, new TransitionCounts());
    switch (state) {
      case VALIDATING -> {}
      case EMBED -> step.move(SequenceCondition.EMBED_DUE);
      case PROCESS_LAYERS -> step.move(SequenceCondition.LAYERS_DUE);
      case HEAD -> step.move(SequenceCondition.HEAD_DUE);
      case SEND -> step.move(SequenceCondition.EMBED_DUE_ELSEWHERE);
      case DONE -> step.move(SequenceCondition.CANCELLED);
    }
    assertThat(step.state()).isEqualTo(state);
    return step;
  }

  @Test
  void doneIsFinal() {
    assertThat(TABLE.legal(SequenceState.DONE)).isEmpty();
    assertThat(TABLE.refusal(SequenceState.DONE, SequenceCondition.SENT)).contains("DONE is final");
  }

  @Test
  void everyConditionIsUsedAndEveryStateIsReached() {
    Set<SequenceCondition> used = new TreeSet<>();
    Set<SequenceState> reached = new TreeSet<>(Set.of(SequenceState.VALIDATING));
    for (PipeTransitionTable.Row row : TABLE.rows()) {
      used.add(row.condition());
      reached.add(row.to());
    }
    assertThat(used).containsExactly(SequenceCondition.values());
    assertThat(reached).containsExactly(SequenceState.values());
  }

  @Test
  void endingsHaveAReasonByDefault() {
    SequenceStep step = stepAt(SequenceState.EMBED);
    step.move(SequenceCondition.PREEMPTED);
    assertThat(step.ending()).isEqualTo(new StepEnding(StepEnding.Kind.RELEASED, "preempted"));
    assertThat(step.ending()).hasToString("RELEASED (preempted)");
    step.restart(NextComputation.EMBED, 0);
    assertThat(step.ending()).isNull();
    step.move(SequenceCondition.STEP_FAILED, "no memory");
    assertThat(step.ending()).isEqualTo(new StepEnding(StepEnding.Kind.FAILED, "no memory"));
  }

  @Test
  void aStepBeginsOnlyAfterTheOneBeforeIsDone() {
    SequenceStep step = stepAt(SequenceState.HEAD);
    assertThatThrownBy(() -> step.restart(NextComputation.EMBED, 0))
        .hasMessageContaining("still at HEAD");
  }

  @Test
  void mermaidAndMarkdownHaveEveryRow() {
    String mermaid = TABLE.toMermaid();
    assertThat(mermaid.lines()).hasSize(TABLE.rows().size() + 3);
    assertThat(mermaid)
        .startsWith("stateDiagram-v2\n    [*] --> VALIDATING\n")
        .contains("    HEAD --> EMBED : more tokens\n")
        .contains("    SEND --> DONE : sent (handed_off)\n")
        .endsWith("    DONE --> [*]\n");
    assertThat(TABLE.toMarkdown().lines()).hasSize(TABLE.rows().size() + 2);
    assertThat(TABLE.toMarkdown()).contains("| EMBED | next local | PROCESS_LAYERS |");
  }

  @Test
  void wrongTablesAreRejected() {
    assertThatThrownBy(() -> PipeTransitionTable.of("EMBED | NEXT_LOCAL"))
        .hasMessageContaining("three cells");
    assertThatThrownBy(() -> PipeTransitionTable.of("SEND | SENT | DONE"))
        .hasMessageContaining("an ending");
    assertThatThrownBy(() -> PipeTransitionTable.of("HEAD | MORE_TOKENS | EMBED FAILED"))
        .hasMessageContaining("an ending");
    assertThatThrownBy(() -> PipeTransitionTable.of("DONE | SENT | EMBED"))
        .hasMessageContaining("final");
    assertThatThrownBy(
            () ->
                PipeTransitionTable.of("any | PAUSED | DONE FAILED\nSEND | PAUSED | DONE RELEASED"))
        .hasMessageContaining("two rows for PAUSED from SEND");
  }
}
