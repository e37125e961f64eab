package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.StateColours;
import dev.millrace.cli.terminal.TextTable;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.state.Actor;
import dev.millrace.core.state.TransitionTable;
import dev.millrace.core.task.TaskTransitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** {@code millrace states}: prints the transition tables that all state changes follow. */
final class StatesCommand implements Command {
  private static final Option MERMAID = Option.flag("mermaid", "print Mermaid state diagrams");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "states",
        List.of("[job|stage|task|sequence] [options]"),
        "Prints the state machines: what may happen, by whom, from where to where.",
        List.of(MERMAID),
        "By: U a user, W the worker that holds the claim, S the system. A sequence is a task on"
            + " its\n"
            + "way through a model.");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    given.requireAtMost(1);
    given.exclude(MERMAID, Option.JSON);
    String gap = "";
    if (given.words().equals(List.of(SequenceStatesPrinter.NAME))) {
      SequenceStatesPrinter.print(shell, given.has(MERMAID), given.has(Option.JSON));
      return ExitCode.OK;
    }
    for (TransitionTable<?, ?> table : tables(given.words())) {
      if (given.has(Option.JSON)) {
        shell.out().println(Json.write(json(table)));
        continue;
      }
      shell.out().print(gap);
      shell.out().print(given.has(MERMAID) ? table.toMermaid() : text(table, shell.colourful()));
      gap = "\n";
    }
    if (given.words().isEmpty()) {
      shell.out().print(given.has(Option.JSON) ? "" : gap);
      SequenceStatesPrinter.print(shell, given.has(MERMAID), given.has(Option.JSON));
    }
    return ExitCode.OK;
  }

  private static List<TransitionTable<?, ?>> tables(List<String> words) {
    if (words.isEmpty()) {
      return List.of(JobTransitions.TABLE, StageTransitions.TABLE, TaskTransitions.TABLE);
    }
    return switch (words.getFirst()) {
      case "job" -> List.of(JobTransitions.TABLE);
      case "stage" -> List.of(StageTransitions.TABLE);
      case "task" -> List.of(TaskTransitions.TABLE);
      case String other ->
          throw new UsageException(
              "no state machine \"" + other + "\"; known: job, stage, task, sequence");
    };
  }

  private static <S extends Enum<S>, E extends Enum<E>> String text(
      TransitionTable<S, E> table, boolean colourful) {
    TextTable out =
        new TextTable(table.entity().toUpperCase(Locale.ROOT), "BY", "FROM", "TO", "WHEN");
    for (TransitionTable.Row<S, E> row : table.rows()) {
      out.row(
          row.event().name().toLowerCase(Locale.ROOT),
          String.join(",", letters(row.by())),
          String.join(", ", names(row.from())),
          new TextTable.Cell(row.to().name(), StateColours.of(row.to())),
          row.when());
    }
    return out.text(colourful);
  }

  private static <S extends Enum<S>, E extends Enum<E>> JsonObject json(
      TransitionTable<S, E> table) {
    List<JsonObject> rows = new ArrayList<>();
    for (TransitionTable.Row<S, E> row : table.rows()) {
      rows.add(
          JsonObject.create()
              .put("event", row.event().name())
              .put("by", names(new TreeSet<>(row.by())))
              .put("from", names(row.from()))
              .put("to", row.to().name())
              .put("when", row.when()));
    }
    return JsonObject.create()
        .put("entity", table.entity())
        .put("states", table.states())
        .put("rows", rows);
  }

  private static List<String> names(Set<? extends Enum<?>> values) {
    List<String> names = new ArrayList<>();
    values.forEach(value -> names.add(value.name()));
    return names;
  }

  private static List<String> letters(Set<Actor> by) {
    List<String> letters = new ArrayList<>();
    new TreeSet<>(by).forEach(actor -> letters.add(actor.name().substring(0, 1)));
    return letters;
  }
}
