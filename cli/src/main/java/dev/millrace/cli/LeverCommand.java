package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import java.util.List;

/** A command that moves jobs: what pause, resume and abort have in common. */
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

  abstract Answer pull(Place place, JobId id, Cause cause);

  @Override
  public Syntax syntax() {
    return new Syntax(
        name,
        List.of("[DIR|URL] ID... [options]"),
        summary,
        List.of(Answers.COMMENT, Workspaces.OPTION),
        "Exit status: 0 done, 1 refused or missing (of several: at least one), 2 not understood.");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    Workspaces.Found found = Workspaces.locate(shell, given);
    List<JobId> ids = found.ids();
    Answers answers = new Answers(shell, given.has(Option.JSON));
    try (Place place = found.place()) {
      for (JobId id : ids) {
        answers.tell(id, past, pull(place, id, Answers.cause(given)));
      }
    }
    return answers.status();
  }
}
