package dev.millrace.cli.levers;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.workspace.WorkspaceAccess;
import dev.millrace.cli.workspace.WorkspaceLocator;
import dev.millrace.core.job.JobId;
import java.util.List;

/** {@code millrace approve}: moves a WAITING stage to PENDING. */
public final class ApproveCommand implements Command {
  @Override
  public Syntax syntax() {
    return new Syntax(
        "approve",
        List.of("[DIR|URL] ID STAGE [options]"),
        "Approves a stage that waits at its gate.",
        List.of(LeverReport.COMMENT, WorkspaceLocator.OPTION),
        "Exit status: 0 done, 1 rejected or missing, 2 wrong usage.");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    WorkspaceLocator.Found found = WorkspaceLocator.locate(shell, given);
    List<String> words = found.words();
    if (words.size() != 2) {
      throw new UsageException(
          words.isEmpty()
              ? "no job: give its id and the number of a stage"
              : words.size() == 1
                  ? "no stage: give its number; \"millrace job "
                      + words.getFirst()
                      + "\" shows them"
                  : "unexpected argument: " + words.get(2));
    }
    JobId id = WorkspaceLocator.id(words.getFirst());
    int stage = Arguments.integer("STAGE", words.get(1), 1, 1_000_000);
    LeverReport answers = new LeverReport(shell, given.has(Option.JSON));
    try (WorkspaceAccess access = found.access()) {
      answers.report(
          id, "stage " + stage + " approved", access.approve(id, stage, LeverReport.cause(given)));
    }
    return answers.status();
  }
}
