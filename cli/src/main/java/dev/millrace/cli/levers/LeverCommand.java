package dev.millrace.cli.levers;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.workspace.WorkspaceAccess;
import dev.millrace.cli.workspace.WorkspaceLocator;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Outcome;
import java.util.List;

/** The base of pause, resume and abort, which change the state of jobs. */
abstract class LeverCommand implements Command {
  private final String name;
  private final String past;
  private final String summary;

  /**
   * @param past what the job is afterwards
   */
  LeverCommand(String name, String past, String summary) {
    this.name = name;
    this.past = past;
    this.summary = summary;
  }

  abstract Outcome apply(WorkspaceAccess access, JobId id, Cause cause);

  @Override
  public Syntax syntax() {
    return new Syntax(
        name,
        List.of("[DIR|URL] ID... [options]"),
        summary,
        List.of(LeverReport.COMMENT, WorkspaceLocator.OPTION),
        "Exit status: 0 done, 1 rejected or missing (at least one of several), 2 wrong usage.");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    WorkspaceLocator.Found found = WorkspaceLocator.locate(shell, given);
    List<JobId> ids = found.ids();
    LeverReport report = new LeverReport(shell, given.has(Option.JSON));
    try (WorkspaceAccess access = found.access()) {
      for (JobId id : ids) {
        report.report(id, past, apply(access, id, LeverReport.cause(given)));
      }
    }
    return report.status();
  }
}
