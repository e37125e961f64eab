package dev.millrace.cli.verify;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.format.StateNames;
import dev.millrace.cli.options.EngineOptions;
import dev.millrace.cli.place.MissingJob;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobView;
import java.util.List;

/** {@code millrace verify}: generates a job's results again under the same terms and compares. */
public final class VerifyCommand implements Command {
  static final Option STAGE = Option.value("stage", "N", "only the tasks of this stage");
  static final Option TASK = Option.value("task", "N", "only this task of its stage");
  static final Option MODEL =
      Option.value(
              "model",
              "MODEL",
              "the model's file, as for \"serve\" (repeatable);\n"
                  + "default: where the server has it, the bundled model,\n"
                  + "or one that is found by its name")
          .letter('m')
          .many();

  @Override
  public Syntax syntax() {
    return new Syntax(
        "verify",
        List.of("[DIR|URL] ID [options]"),
        "Generates a finished job's results again, under the same terms, and compares them.",
        List.of(
            MODEL, STAGE, TASK, EngineOptions.THREADS, EngineOptions.KERNELS, PlaceLocator.OPTION),
        """
        Repeats completed tasks of the types generate and embed with the same model (by its SHA-256),
        parameters and seed. A result that differs is reported with the position of the difference.
        One line per task; with --json one object per line, the last one is the summary.
        Exit status: 0 all the same, 1 a difference, or something could not be repeated, or there
        is nothing to verify.\
        """);
  }

  @Override
  public int run(Shell shell, Arguments given) throws InterruptedException {
    given.integer(STAGE, 1, Integer.MAX_VALUE, 0);
    given.integer(TASK, 1, Integer.MAX_VALUE, 0);
    given.integer(EngineOptions.THREADS, 1, 1024, 1);
    PlaceLocator.Found found = PlaceLocator.locate(shell, given);
    List<JobId> ids = found.ids();
    if (ids.size() > 1) {
      throw new UsageException("only one job ID may be provided");
    }
    try (Place place = found.place()) {
      return verify(shell, given, place, ids.getFirst());
    }
  }

  private static int verify(Shell shell, Arguments given, Place place, JobId id)
      throws InterruptedException {
    JobView view = finished(place, id);
    int stage = given.integer(STAGE, 1, Integer.MAX_VALUE, 0);
    int task = given.integer(TASK, 1, Integer.MAX_VALUE, 0);
    if (task > 0 && stage == 0 && view.stages().size() > 1) {
      throw new UsageException("--task needs --stage: job " + id + " has several");
    }
    FrozenTasks tasks = FrozenTasks.of(place, view, stage, task);
    return new VerifyRun(shell, given, place.owner(), view).run(tasks);
  }

  private static JobView finished(Place place, JobId id) {
    JobView view = place.reader().find(id).orElseThrow(() -> MissingJob.error(place, id));
    if (!view.state().isFinal()) {
      throw CommandException.suggesting(
          ErrorCode.NOT_READY,
          "job "
              + id
              + " is "
              + StateNames.word(view.state())
              + ": it can be verified after it has ended",
          SuggestedCommand.of("flow").on(place.name()).with("-w", id),
          "waits for it");
    }
    return view;
  }
}
