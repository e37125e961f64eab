package dev.millrace.cli;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.pipe.PipeTable;
import dev.millrace.engine.pipe.SequenceState;
import java.util.ArrayList;
import java.util.List;

/** The way of a sequence through a pipe, as {@code millrace states} shows it. */
final class SequenceTable {
  static final String NAME = "sequence";

  private SequenceTable() {}

  static void print(Shell shell, boolean mermaid, boolean json) {
    if (json) {
      shell.out().println(Json.write(json()));
    } else {
      shell.out().print(mermaid ? PipeTable.SEQUENCE.toMermaid() : text(shell.colourful()));
    }
  }

  private static String text(boolean colourful) {
    Table out = new Table("SEQUENCE", "WHEN", "TO", "HOW IT ENDED");
    for (PipeTable.Row row : PipeTable.SEQUENCE.rows()) {
      out.row(row.from().name(), row.condition().words(), row.to().name(), ending(row));
    }
    return out.text(colourful);
  }

  private static JsonObject json() {
    List<JsonObject> rows = new ArrayList<>();
    for (PipeTable.Row row : PipeTable.SEQUENCE.rows()) {
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

  private static String ending(PipeTable.Row row) {
    return row.ending() == null ? "" : row.ending().name();
  }
}
