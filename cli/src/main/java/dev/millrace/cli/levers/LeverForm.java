package dev.millrace.cli.levers;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.core.job.JobId;
import java.util.List;

/** What a lever is used on, as the words after the place say it. */
enum LeverForm {
  JOBS(
      "ID...",
      "Exit status: 0 done, 1 rejected or missing (at least one of several), 2 wrong usage."),
  STAGE("ID STAGE", "Exit status: 0 done, 1 rejected or missing, 2 wrong usage.");

  private final String words;
  private final String exitStatus;

  LeverForm(String words, String exitStatus) {
    this.words = words;
    this.exitStatus = exitStatus;
  }

  /** The words in the usage. */
  String words() {
    return words;
  }

  String exitStatus() {
    return exitStatus;
  }

  /**
   * A job, or a stage of it.
   *
   * @param stage 0 for the job
   */
  record Target(JobId job, int stage) {}

  List<Target> read(PlaceLocator.Found found) {
    return switch (this) {
      case JOBS -> found.ids().stream().map(id -> new Target(id, 0)).toList();
      case STAGE -> List.of(stage(found));
    };
  }

  private static Target stage(PlaceLocator.Found found) {
    List<String> words = found.words();
    if (words.size() != 2) {
      throw new UsageException(
          words.isEmpty()
              ? "no job: give its id and the number of a stage"
              : words.size() == 1
                  ? "no stage: give its number; "
                      + SuggestedCommand.of("job")
                          .on(found.place().name())
                          .with(found.id(words.getFirst()))
                          .to("shows them")
                  : "unexpected argument: " + words.get(2));
    }
    int stage = Arguments.integer("STAGE", words.get(1), 1, 1_000_000);
    return new Target(found.id(words.getFirst()), stage);
  }
}
