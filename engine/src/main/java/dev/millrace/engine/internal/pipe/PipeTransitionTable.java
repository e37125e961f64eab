package dev.millrace.engine.internal.pipe;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The transitions of a sequence through a pipe, as data. Nothing else decides where a sequence
 * goes: the processor finds out which condition holds, this table says what follows. Anything else
 * is rejected.
 */
public final class PipeTransitionTable {

  /**
   * One row: if {@code condition} holds in {@code from}, {@code to} follows; DONE has an ending.
   */
  public record Row(
      SequenceState from,
      SequenceCondition condition,
      SequenceState to,
      StepEnding.@Nullable Kind ending) {}

  private static final int CONDITIONS =
      SequenceCondition.values().length; // before the table, which needs it

  /** The sequence's table. {@code any} is every state but DONE, which is final. */
  public static final PipeTransitionTable SEQUENCE =
      of(
          """
          any            | CANCELLED                   | DONE FAILED
          any            | PAUSED                      | DONE RELEASED
          any            | PREEMPTED                   | DONE RELEASED
          any            | DEADLINE_PASSED             | DONE FAILED
          any            | STEP_FAILED                 | DONE FAILED
          VALIDATING     | NO_SEQUENCE                 | DONE FAILED
          VALIDATING     | PIPE_MISSING                | DONE RELEASED
          VALIDATING     | PIPE_INCOMPLETE             | DONE RELEASED
          VALIDATING     | NOT_ORIGIN_FOR_HEAD         | DONE FAILED
          VALIDATING     | END_MISSING                 | DONE FAILED
          VALIDATING     | STEP_REFUSED                | DONE RELEASED
          VALIDATING     | EMBED_DUE                   | EMBED
          VALIDATING     | EMBED_DUE_ELSEWHERE         | SEND
          VALIDATING     | HEAD_DUE                    | HEAD
          VALIDATING     | CHUNK_DUE                   | EMBED
          VALIDATING     | NEXT_CHUNK_BEGUN            | DONE CONTINUED
          VALIDATING     | LAYERS_DUE                  | PROCESS_LAYERS
          EMBED          | UPDATE_UNDELIVERED          | DONE FAILED
          EMBED          | NO_MODEL_FOR_LAYER          | DONE RELEASED
          EMBED          | NEXT_REMOTE                 | SEND
          EMBED          | NEXT_LOCAL                  | PROCESS_LAYERS
          PROCESS_LAYERS | NO_LOCAL_SEGMENT            | DONE RELEASED
          PROCESS_LAYERS | NEXT_REMOTE                 | SEND
          PROCESS_LAYERS | NEXT_LOCAL                  | PROCESS_LAYERS
          PROCESS_LAYERS | ALL_LAYERS_DONE             | HEAD
          PROCESS_LAYERS | ALL_LAYERS_DONE_MORE_CHUNKS | EMBED
          PROCESS_LAYERS | NEXT_CHUNK_BEGUN            | DONE CONTINUED
          PROCESS_LAYERS | ALL_LAYERS_DONE_ELSEWHERE   | SEND
          HEAD           | SEQUENCE_COMPLETE           | DONE COMPLETED
          HEAD           | UPDATE_UNDELIVERED          | DONE FAILED
          HEAD           | MORE_TOKENS                 | EMBED
          HEAD           | EMBEDDED_NEXT_REMOTE        | SEND
          HEAD           | EMBEDDED_NEXT_LOCAL         | PROCESS_LAYERS
          SEND           | SENT                        | DONE HANDED_OFF
          SEND           | UNREACHED                   | DONE RELEASED
          """);

  private final List<Row> rows;
  private final @Nullable Row[] byIndex; // (state, condition)

  private PipeTransitionTable(List<Row> rows) {
    this.rows = List.copyOf(rows);
    byIndex = new @Nullable Row[SequenceState.values().length * CONDITIONS];
    for (Row row : rows) {
      int index = index(row.from(), row.condition());
      if (byIndex[index] != null) {
        throw new IllegalArgumentException(
            "two rows for " + row.condition() + " from " + row.from());
      }
      byIndex[index] = row;
    }
  }

  /**
   * Parses a table in its written form, one row per line: {@code from | condition | to}; DONE is
   * followed by its ending.
   */
  static PipeTransitionTable of(String table) {
    List<Row> rows = new ArrayList<>();
    for (String line : table.strip().split("\n")) {
      String[] cells = line.split("\\|", -1);
      if (cells.length != 3) {
        throw new IllegalArgumentException("three cells in a row, not: " + line);
      }
      String[] to = cells[2].strip().split(" ");
      SequenceState target = SequenceState.valueOf(to[0]);
      if ((target == SequenceState.DONE) != (to.length == 2)) {
        throw new IllegalArgumentException(
            "an ending with DONE and with nothing else, not: " + line);
      }
      StepEnding.Kind ending = to.length == 2 ? StepEnding.Kind.valueOf(to[1]) : null;
      for (SequenceState from : sources(cells[0].strip())) {
        rows.add(new Row(from, SequenceCondition.valueOf(cells[1].strip()), target, ending));
      }
    }
    return new PipeTransitionTable(rows);
  }

  private static Set<SequenceState> sources(String name) {
    if (name.equals("any")) {
      return EnumSet.complementOf(EnumSet.of(SequenceState.DONE));
    }
    SequenceState state = SequenceState.valueOf(name);
    if (state == SequenceState.DONE) {
      throw new IllegalArgumentException("DONE is final");
    }
    return EnumSet.of(state);
  }

  static int index(SequenceState state, SequenceCondition condition) {
    return state.ordinal() * CONDITIONS + condition.ordinal();
  }

  public List<Row> rows() {
    return rows;
  }

  /** The row that applies; null if the table has none. */
  public @Nullable Row find(SequenceState state, SequenceCondition condition) {
    return byIndex[index(state, condition)];
  }

  /** The row that applies; a missing row is a bug of the caller and is rejected by name. */
  Row move(SequenceState state, SequenceCondition condition) {
    Row row = find(state, condition);
    if (row == null) {
      throw new IllegalStateException(refusal(state, condition));
    }
    return row;
  }

  /** The conditions with a transition from {@code state}. */
  public Set<SequenceCondition> legal(SequenceState state) {
    Set<SequenceCondition> legal = EnumSet.noneOf(SequenceCondition.class);
    for (Row row : rows) {
      if (row.from() == state) {
        legal.add(row.condition());
      }
    }
    return legal;
  }

  /** The message for an illegal transition. */
  public String refusal(SequenceState state, SequenceCondition condition) {
    Set<SequenceCondition> legal = legal(state);
    return "sequence: no transition on %s from %s; legal: %s"
        .formatted(condition, state, legal.isEmpty() ? "nothing, " + state + " is final" : legal);
  }

  /** A Mermaid state diagram of the table, always the same text. */
  public String toMermaid() {
    StringBuilder out = new StringBuilder("stateDiagram-v2\n    [*] --> VALIDATING\n");
    for (Row row : rows) {
      out.append("    ").append(row.from()).append(" --> ").append(row.to()).append(" : ");
      out.append(row.condition().description());
      if (row.ending() != null) {
        out.append(" (")
            .append(Objects.requireNonNull(row.ending()).name().toLowerCase(Locale.ROOT));
        out.append(')');
      }
      out.append('\n');
    }
    return out.append("    DONE --> [*]\n").toString();
  }

  /** The table in Markdown. */
  public String toMarkdown() {
    StringBuilder out = new StringBuilder("| from | condition | to |\n|---|---|---|\n");
    for (Row row : rows) {
      out.append("| ").append(row.from()).append(" | ").append(row.condition().description());
      out.append(" | ").append(row.to());
      if (row.ending() != null) {
        out.append(", ").append(row.ending());
      }
      out.append(" |\n");
    }
    return out.toString();
  }
}
