package dev.millrace.cli.read;

import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.format.ApprovalText;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.format.PromptExcerpt;
import dev.millrace.cli.format.ShortIds;
import dev.millrace.cli.format.ShownStatus;
import dev.millrace.cli.format.StateColours;
import dev.millrace.cli.format.StateNames;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.terminal.Colour;
import dev.millrace.cli.terminal.DurationText;
import dev.millrace.cli.terminal.FittedText;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.TextTable;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.TaskView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table of {@code jobs}: a line for each job that fits into the width of the terminal. */
final class JobsTable {
  /** A model's name is cut only where the prompt would have less than {@link #USUAL_TEXT}. */
  private static final int LEAST_MODEL = 10;

  private static final int USUAL_TEXT = 32;
  private static final int LEAST_TEXT = 10;

  private final Place place;
  private final JobReader reader;
  private final Instant now;
  private final List<Row> rows = new ArrayList<>();

  /** A job in short words; the last is cut to what the others leave of a line. */
  private record Row(
      JobId id, TextTable.Cell state, String age, String model, String done, String text) {}

  JobsTable(Place place, Instant now) {
    this.place = place;
    this.reader = place.reader();
    this.now = now;
  }

  /** Adds a job; one that was deleted meanwhile is left out. */
  void add(JobId id) {
    try {
      reader.find(id).ifPresent(view -> rows.add(row(view)));
    } catch (StoreException e) {
      TextTable.Cell state = new TextTable.Cell("unreadable", Colour.RED);
      String why =
          ErrorText.of(e).replace("cannot read job " + id + ": ", ""); // the row has the id
      rows.add(new Row(id, state, "-", "-", "-", why));
    }
  }

  private Row row(JobView view) {
    StageView gate = view.stageAtGate().orElse(null);
    String state =
        gate == null ? JobJson.word(ShownStatus.of(place, view.state())) : StateNames.WAITING;
    Enum<?> colour = gate == null ? view.state() : StageState.WAITING;
    TaskView first = reader.task(view.header().id(), 1, 1).orElse(null);
    JsonObject receipt = receipt(view, first);
    return new Row(
        view.header().id(),
        new TextTable.Cell(state, StateColours.of(colour)),
        DurationText.between(view.createdAt(), null, now),
        model(view, receipt),
        done(view, receipt),
        text(view, first, gate));
  }

  /** The model if it is known, else the type of the first stage. */
  private static String model(JobView view, @Nullable JsonObject receipt) {
    if (receipt != null && receipt.get("model") instanceof String used) {
      return used;
    }
    if (view.stages().isEmpty()) {
      return "-";
    }
    StageView first = view.stages().getFirst();
    return first.spec().data().get("model") instanceof String asked ? asked : first.type();
  }

  /** Tokens of a single task that is done, else how many of the tasks are. */
  private static String done(JobView view, @Nullable JsonObject receipt) {
    if (receipt != null && receipt.get("completion_tokens") instanceof Number tokens) {
      return NumberText.count(tokens.longValue()) + " tok";
    }
    return NumberText.count(JobProgress.done(view))
        + "/"
        + NumberText.count(JobProgress.total(view));
  }

  private static String text(JobView view, @Nullable TaskView first, @Nullable StageView gate) {
    String name = view.header().name();
    String prompt = first == null ? "" : PromptExcerpt.of(first.input());
    // over HTTP, a job without a name has the type of its first stage for one
    boolean byType = !view.stages().isEmpty() && view.stages().getFirst().type().equals(name);
    String named = name == null || byType ? prompt : prompt.isEmpty() ? name : name + ": " + prompt;
    return gate == null ? named : ApprovalText.reason(gate) + "; " + named;
  }

  /** The receipt of the only task; null if there are more, or it has none. */
  private static @Nullable JsonObject receipt(JobView view, @Nullable TaskView first) {
    boolean done = first != null && first.result() != null && JobJson.isSingleTask(view);
    return done ? first.result().receipt() : null;
  }

  /** The table in lines of at most {@code columns} columns, if ids are not very long. */
  String text(int columns, boolean colourful) {
    ShortIds ids = new ShortIds(rows.stream().map(Row::id).toList());
    int others = width(rows, ids);
    int mostModel = Math.max(LEAST_MODEL, columns - others - USUAL_TEXT);
    int model = "MODEL".length();
    for (Row row : rows) {
      model = Math.max(model, FittedText.width(FittedText.line(row.model, mostModel)));
    }
    int left = Math.max(LEAST_TEXT, columns - others - model);
    TextTable table = new TextTable("ID", "STATE", ">AGE", "MODEL", ">DONE", "PROMPT");
    for (Row row : rows) {
      table.row(
          ids.of(row.id),
          row.state,
          row.age,
          FittedText.line(row.model, mostModel),
          row.done,
          FittedText.line(row.text, left));
    }
    return table.text(colourful);
  }

  /** The columns but model and prompt, with the gaps of the table. */
  private static int width(List<Row> rows, ShortIds ids) {
    int id = 2;
    int state = 5;
    int age = 3;
    int done = 4;
    for (Row row : rows) {
      id = Math.max(id, ids.of(row.id).length());
      state = Math.max(state, row.state.text().length());
      age = Math.max(age, row.age.length());
      done = Math.max(done, row.done.length());
    }
    return id + state + age + done + 5 * TextTable.GAP;
  }
}
