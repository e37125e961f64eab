package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.core.Work.SubmitResult;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Reading;
import dev.millrace.store.fs.Workspace;
import java.util.List;

/** {@code millrace retry}: a finished job again, as a new job that names the old one. */
final class RetryCommand implements Command {
  @Override
  public Syntax syntax() {
    return new Syntax(
        "retry",
        List.of("[DIR] ID... [options]"),
        "Runs finished jobs again, as new jobs, and prints their ids.",
        List.of(Workspaces.OPTION),
        "Exit status: 0 done, 1 refused or missing (of several: at least one), 2 not understood.");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    Workspaces.Found found = Workspaces.locate(shell, given);
    Workspace workspace = found.place().workspace("retry");
    int status = ExitCode.OK;
    for (JobId id : found.ids()) {
      try {
        JobId again = again(workspace, id);
        shell.say(
            given.has(Option.JSON)
                ? Json.write(
                    JsonObject.create().put("id", again.value()).put("retry_of", id.value()))
                : again.value());
      } catch (Refusal e) {
        shell.err().println("Error: " + id + ": " + e.getMessage());
        status = ExitCode.FAILED;
      }
    }
    return status;
  }

  private static JobId again(Workspace workspace, JobId id) {
    Reading reading = workspace.reading();
    JobState state = reading.state(id).orElseThrow(() -> new Refusal("no such job"));
    if (!state.isFinal()) {
      throw new Refusal(
          "job is " + state + "; only a finished job can be run again: wait for it, or abort it");
    }
    JobSpec old = reading.spec(id).orElseThrow(() -> new Refusal("no such job"));
    JobSpec spec =
        new JobSpec(
            old.name(),
            old.priority(),
            false,
            old.parent(),
            id,
            old.tags(),
            old.metadata(),
            old.stages(),
            old.stages().isEmpty(), // else it is whole by now
            old.data(),
            old.trace(),
            old.webhooks());
    SubmitResult result = workspace.work().submit(spec);
    if (!result.ok()) {
      throw new Refusal(result.message());
    }
    return result.id();
  }
}
