package dev.millrace.server.infer;

import dev.millrace.engine.internal.pipe.PipeTransitionTable;
import dev.millrace.engine.internal.pipe.SequenceState;
import dev.millrace.engine.internal.pipe.StepEnding;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The transition table of a sequence through a pipe, to be shown. */
public final class SequenceTable {
  private SequenceTable() {}

  public record State(String name, boolean isFinal) {}

  /**
   * A row: in any state of {@code from}, {@code condition} leads to {@code to}.
   *
   * @param when what the condition means, with the ending if it is the last state
   */
  public record Row(String condition, List<String> from, String to, String when) {}

  /** What rows have in common that differ in the states that they start from. */
  private record Target(String condition, String to, String when) {}

  /** All states; the first is the initial one. */
  public static List<State> states() {
    List<State> states = new ArrayList<>();
    for (SequenceState state : SequenceState.values()) {
      states.add(new State(state.name(), PipeTransitionTable.SEQUENCE.legal(state).isEmpty()));
    }
    return states;
  }

  public static List<Row> rows() {
    Map<Target, List<String>> sources = new LinkedHashMap<>();
    for (PipeTransitionTable.Row row : PipeTransitionTable.SEQUENCE.rows()) {
      String when = row.condition().description() + ending(row.ending());
      sources
          .computeIfAbsent(
              new Target(row.condition().name(), row.to().name(), when), _ -> new ArrayList<>())
          .add(row.from().name());
    }
    List<Row> rows = new ArrayList<>();
    sources.forEach(
        (target, from) ->
            rows.add(new Row(target.condition, List.copyOf(from), target.to, target.when)));
    return rows;
  }

  private static String ending(StepEnding.@Nullable Kind kind) {
    return kind == null ? "" : " (" + kind.name().toLowerCase(Locale.ROOT) + ")";
  }
}
