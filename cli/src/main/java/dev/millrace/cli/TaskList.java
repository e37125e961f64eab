package dev.millrace.cli;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.Reading;
import dev.millrace.core.store.TaskView;
import java.time.Instant;

/** The tasks of a job, one a line. */
final class TaskList {
  private static final int WIDTH = 60;

  private final Shell shell;
  private final Reading reading;
  private final JobView view;
  private final boolean json;

  TaskList(Shell shell, Reading reading, JobView view, boolean json) {
    this.shell = shell;
    this.reading = reading;
    this.view = view;
    this.json = json;
  }

  /** Those of one stage, or of all if it is 0. */
  int print(int stage) {
    Table table = new Table("STAGE", ">TASK", "STATE", ">ATTEMPTS", ">TOOK", "RESULT OR ERROR");
    JobId id = view.header().id();
    for (StageView each : view.stages()) {
      if (stage == 0 || each.number() == stage) {
        TaskPages.each(reading, id, each.number(), task -> add(table, each, task));
      }
    }
    if (!json) {
      shell.out().print(table.text(shell.colourful()));
    }
    return ExitCode.OK;
  }

  private void add(Table table, StageView stage, TaskView task) {
    if (json) {
      shell.out().println(Json.write(TaskPages.whole(task)));
      return;
    }
    String said =
        task.error() != null ? task.error() : task.result() == null ? "" : task.result().text();
    table.row(
        stage.number() + " " + stage.type(),
        task.task(),
        new Table.Cell(task.state().name(), StateColours.of(task.state())),
        TaskPages.attempts(task),
        Ages.between(task.startedAt(), task.completedAt(), Instant.now()),
        Printable.line(said, WIDTH));
  }
}
