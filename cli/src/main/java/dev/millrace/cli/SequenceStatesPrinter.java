package dev.millrace.cli;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.TextTable;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.internal.pipe.PipeTransitionTable;
import dev.millrace.engine.internal.pipe.SequenceState;
import java.util.ArrayList;
import java.util.List;

/** Prints the state machine of a sequence in a pipe, for {@code millrace states}. */
final class SequenceStatesPrinter {
  static final String NAME = "sequence";

  private SequenceStatesPrinter() {}

  static void print(Shell shell, boolean mermaid, boolean json) {
    if (json) {
      shell.out().println(Json.write(json()));
    } else {
      shell
          .out()
          .print(mermaid ? PipeTransitionTable.SEQUENCE.toMermaid() : text(shell.colourful()));
    }
  }

  private static String text(boolean colourful) {
    TextTable out = new TextTable("SEQUENCE", "WHEN", "TO", "HOW IT ENDED");
    for (PipeTransitionTable.Row row : PipeTransitionTable.SEQUENCE.rows()) {
      out.row(row.from().name(), row.condition().description(), row.to().name(), ending(row));
    }
    return out.text(colourful);
  }

  private static JsonObject json() {
    List<JsonObject> rows = new ArrayList<>();
    for (PipeTransitionTable.Row row : PipeTransitionTable.SEQUENCE.rows()) {
      rows.add(
          JsonObject.create()
              .put("from", row.from().name())
              .put("condition", row.condition().name())
              .put("to", row.to().name())
              .putIfPresent("ending", row.ending() == null ? null : ending(row)));
    }
    List<String> states = new ArrayList<>();
    for (SequenceState state : SequenceState.values()) {
      states.add(state.name());
    }
    return JsonObject.create().put("entity", NAME).put("states", states).put("rows", rows);
  }

  private static String ending(PipeTransitionTable.Row row) {
    return row.ending() == null ? "" : row.ending().name();
  }
}
