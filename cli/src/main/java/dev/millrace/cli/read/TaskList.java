package dev.millrace.cli.read;

import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.ShownStatus;
import dev.millrace.cli.format.StateColours;
import dev.millrace.cli.format.TaskJson;
import dev.millrace.cli.terminal.DurationText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cli.terminal.TextTable;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import java.time.Instant;

/** Prints the tasks of a job, one per line. */
final class TaskList {
  private static final int WIDTH = 60;

  private final Shell shell;
  private final JobReader reader;
  private final JobView view;
  private final boolean json;

  TaskList(Shell shell, JobReader reader, JobView view, boolean json) {
    this.shell = shell;
    this.reader = reader;
    this.view = view;
    this.json = json;
  }

  /** Those of one stage, or of all if it is 0. */
  int print(int stage) {
    TextTable table =
        new TextTable("STAGE", ">TASK", "STATE", ">ATTEMPTS", ">TOOK", "RESULT OR ERROR");
    JobId id = view.header().id();
    for (StageView each : view.stages()) {
      if (stage == 0 || each.number() == stage) {
        TaskJson.each(reader, id, each.number(), task -> add(table, each, task));
      }
    }
    if (!json) {
      shell.out().print(table.text(shell.colourful()));
    }
    return ExitCode.OK;
  }

  private void add(TextTable table, StageView stage, TaskView task) {
    if (json) {
      shell.out().println(Json.write(TaskJson.fullJson(task)));
      return;
    }
    String text =
        task.error() != null ? task.error() : task.result() == null ? "" : task.result().text();
    table.row(
        stage.number() + " " + SanitizedText.line(stage.type(), 40),
        task.task(),
        new TextTable.Cell(ShownStatus.of(task).name(), StateColours.of(ShownStatus.of(task))),
        TaskJson.attempts(task),
        DurationText.between(task.startedAt(), task.completedAt(), Instant.now()),
        SanitizedText.line(text, WIDTH));
  }
}
