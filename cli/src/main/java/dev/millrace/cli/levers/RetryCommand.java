package dev.millrace.cli.levers;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.workspace.WorkspaceLocator;
import dev.millrace.core.Work.SubmitResult;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.store.fs.Workspace;
import java.util.List;

/** {@code millrace retry}: submits a finished job again, as a new job that names the old one. */
public final class RetryCommand implements Command {
  @Override
  public Syntax syntax() {
    return new Syntax(
        "retry",
        List.of("[DIR] ID... [options]"),
        "Runs finished jobs again, as new jobs, and prints their ids.",
        List.of(WorkspaceLocator.OPTION),
        "Exit status: 0 done, 1 rejected or missing (at least one of several), 2 wrong usage.");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    WorkspaceLocator.Found found = WorkspaceLocator.locate(shell, given);
    Workspace workspace = found.access().requireWorkspace("retry");
    int status = ExitCode.OK;
    for (JobId id : found.ids()) {
      try {
        JobId again = again(workspace, id);
        shell.printLine(
            given.has(Option.JSON)
                ? Json.write(
                    JsonObject.create().put("id", again.value()).put("retry_of", id.value()))
                : again.value());
      } catch (CommandException e) {
        shell.err().println("Error: " + id + ": " + e.getMessage());
        status = ExitCode.FAILED;
      }
    }
    return status;
  }

  private static JobId again(Workspace workspace, JobId id) {
    JobReader reader = workspace.reader();
    JobState state = reader.state(id).orElseThrow(() -> new CommandException("no such job"));
    if (!state.isFinal()) {
      throw new CommandException(
          "job is " + state + "; only a finished job can be run again: wait for it, or abort it");
    }
    JobSpec old = reader.spec(id).orElseThrow(() -> new CommandException("no such job"));
    JobSpec spec =
        old.toBuilder()
            .held(false)
            .retryOf(id)
            .open(old.stages().isEmpty()) // a job with stages is complete by now
            .build();
    SubmitResult result = workspace.work().submit(spec);
    if (!result.ok()) {
      throw new CommandException(result.message());
    }
    return result.id();
  }
}
