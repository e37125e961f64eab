package dev.millrace.cli.read;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.format.LogEntryText;
import dev.millrace.cli.format.ReceiptText;
import dev.millrace.cli.format.ShownStatus;
import dev.millrace.cli.format.StateColours;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.terminal.Colour;
import dev.millrace.cli.terminal.DurationText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cli.terminal.TextTable;
import dev.millrace.cli.terminal.TimeText;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Prints everything about a job as text. */
final class JobDetailsText {
  private static final int WIDTH = 500;

  private final Shell shell;
  private final JobReader reader;
  private final Place place;

  JobDetailsText(Shell shell, Place place) {
    this.shell = shell;
    this.reader = place.reader();
    this.place = place;
  }

  void print(JobView view, List<LogEntry> last) {
    header(view);
    stages(view);
    if (!last.isEmpty()) {
      shell
          .out()
          .println("\nlast events (of " + last.getLast().number() + "; --events prints all):");
      last.forEach(entry -> shell.out().println("  " + LogEntryText.of(entry)));
    }
  }

  private void header(JobView view) {
    JobHeader header = view.header();
    Instant now = Instant.now();
    line("job", header.id().value());
    line("uuid", EntityId.of(header.id()));
    line("name", header.name());
    Colour colour = shell.colourful() ? StateColours.of(view.state()) : Colour.NONE;
    String state =
        colour.of(view.state().name())
            + " ("
            + JobJson.word(ShownStatus.of(place, view.state()))
            + ")";
    shell.out().println(label("state") + state);
    line("priority", header.priority());
    line("parent", header.parent());
    line("retry of", retryOf(view));
    line("tags", header.tags().isEmpty() ? null : String.join(", ", header.tags()));
    line("metadata", header.metadata().values().isEmpty() ? null : Json.write(header.metadata()));
    line(
        "submitted",
        TimeText.local(view.createdAt())
            + " ("
            + DurationText.between(view.createdAt(), null, now)
            + " ago)");
    line("started", view.startedAt() == null ? null : TimeText.local(view.startedAt()));
    line("ended", view.completedAt() == null ? null : TimeText.local(view.completedAt()));
    line(
        "duration",
        view.startedAt() == null
            ? null
            : DurationText.between(view.startedAt(), view.completedAt(), now));
    line("directory", place.artifacts(header.id()).path());
    line("receipt", ReceiptText.of(JobJson.receipt(place, reader, view)));
    line("error", JobJson.error(reader, view));
  }

  private static @Nullable String retryOf(JobView view) {
    JobId old = view.header().retryOf();
    int adopted = view.stages().stream().mapToInt(StageView::adopted).sum();
    return old == null ? null : old + (adopted == 0 ? "" : " (" + adopted + " tasks adopted)");
  }

  private void line(String name, @Nullable Object value) {
    if (value != null) {
      shell.out().println(label(name) + SanitizedText.line(String.valueOf(value), WIDTH));
    }
  }

  private static String label(String name) {
    return name + " ".repeat(11 - name.length());
  }

  private void stages(JobView view) {
    TextTable table =
        new TextTable(">STAGE", "TYPE", "STATE", ">DONE", ">FAILED", ">TOTAL", ">TOOK", "NOTE");
    for (StageView stage : view.stages()) {
      table.row(
          stage.number(),
          SanitizedText.line(stage.type(), WIDTH),
          new TextTable.Cell(stage.state().name(), StateColours.of(stage.state())),
          JobJson.completedTasks(stage),
          stage.tasks().getOrDefault(TaskState.FAILED, 0),
          stage.total(),
          DurationText.between(stage.startedAt(), stage.completedAt(), Instant.now()),
          note(view, stage));
    }
    shell.out().println();
    shell.out().print(table.text(shell.colourful()));
  }

  private String note(JobView view, StageView stage) {
    if (view.state().isFinal() && !stage.state().isFinal()) {
      return "never began";
    }
    return switch (stage.state()) {
      case WAITING ->
          JobJson.isAtGate(view, stage)
              ? "waits for: "
                  + SuggestedCommand.of("approve")
                      .on(place.name())
                      .with(view.header().id(), stage.number())
              : others(stage);
      case FAILED -> SanitizedText.line(String.valueOf(stage.error()), WIDTH);
      default -> others(stage);
    };
  }

  /** A retried task may also be one that a server gave back when it stopped. */
  private static String word(TaskState state) {
    return state == TaskState.RETRIED ? "to run again" : state.name().toLowerCase(Locale.ROOT);
  }

  /** Adopted tasks, and the states of tasks that are neither done nor failed. */
  private static String others(StageView stage) {
    StringBuilder out = new StringBuilder(stage.gate() ? "gate" : "");
    if (stage.adopted() > 0) {
      out.append(out.isEmpty() ? "" : ", ").append(stage.adopted()).append(" adopted");
    }
    stage
        .tasks()
        .forEach(
            (state, count) -> {
              if (state != TaskState.COMPLETED && state != TaskState.FAILED) {
                out.append(out.isEmpty() ? "" : ", ").append(count).append(' ').append(word(state));
              }
            });
    return out.toString();
  }
}
