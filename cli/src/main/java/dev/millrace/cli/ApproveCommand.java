package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.core.job.JobId;
import java.util.List;

/** {@code millrace approve}: a WAITING stage to PENDING. */
final class ApproveCommand implements Command {
  @Override
  public Syntax syntax() {
    return new Syntax(
        "approve",
        List.of("[DIR|URL] ID STAGE [options]"),
        "Lets a stage pass that waits at a gate.",
        List.of(Answers.COMMENT, Workspaces.OPTION),
        "Exit status: 0 done, 1 refused or missing, 2 not understood.");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    Workspaces.Found found = Workspaces.locate(shell, given);
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
    JobId id = Workspaces.id(words.getFirst());
    int stage = Arguments.integer("STAGE", words.get(1), 1, 1_000_000);
    Answers answers = new Answers(shell, given.has(Option.JSON));
    try (Place place = found.place()) {
      answers.tell(
          id, "stage " + stage + " approved", place.approve(id, stage, Answers.cause(given)));
    }
    return answers.status();
  }
}
