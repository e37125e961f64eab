package dev.millrace.cli.levers;

import static java.util.stream.Collectors.toCollection;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.StateNames;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.cli.place.PruneDryRun;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** {@code millrace prune}: deletes old finished jobs. No other command deletes a job. */
public final class PruneCommand implements Command {
  private static final Set<JobState> FINAL =
      Stream.of(JobState.values())
          .filter(JobState::isFinal)
          .collect(toCollection(() -> EnumSet.noneOf(JobState.class)));
  private static final Option OLDER =
      Option.value("older-than", "D", "jobs that ended longer ago than this: 12h, 30d");
  private static final Option STATE =
      Option.value("state", "STATE", "only done, failed or cancelled jobs (repeatable)")
          .choices("done", "failed", "cancelled")
          .many();
  private static final Option DRY =
      Option.flag("dry-run", "delete nothing, print the ids of the jobs");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "prune",
        List.of("[DIR|URL] --older-than D [options]"),
        "Deletes finished jobs with their results. Only \"serve --retain\" does so, too.",
        List.of(OLDER, STATE, DRY, PlaceLocator.OPTION),
        "A URL needs a key with the scope admin, in MILLRACE_API_KEY.");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    Duration age = given.duration(OLDER);
    if (age == null) {
      throw new UsageException("--older-than is required: how long ago a job must have ended");
    }
    Set<JobState> states = given.has(STATE) ? StateNames.parse(given.all(STATE), FINAL) : FINAL;
    PlaceLocator.Found found = PlaceLocator.locate(shell, given);
    if (!found.words().isEmpty()) {
      throw new UsageException(
          "unexpected argument: " + found.words().getFirst() + "; prune selects by age and state");
    }
    Instant before = Instant.now().minus(age);
    boolean json = given.has(Option.JSON);
    try (Place place = found.place()) {
      if (given.has(DRY)) {
        return print(shell, place.dryRunPrune(before, states), json);
      }
      int count = place.prune(before, states);
      shell.printLine(
          json ? Json.write(JsonObject.create().put("pruned", count)) : "pruned " + jobs(count));
      return ExitCode.OK;
    }
  }

  private static int print(Shell shell, PruneDryRun dryRun, boolean json) {
    for (JobId id : dryRun.ids()) {
      shell.out().println(json ? Json.write(JsonObject.create().put("id", id.value())) : id);
    }
    shell.out().flush();
    dryRun.unreadable().forEach((id, why) -> shell.err().println("skipped " + id + ": " + why));
    shell.err().println("would prune " + jobs(dryRun.ids().size()));
    return ExitCode.OK;
  }

  private static String jobs(int count) {
    return count + (count == 1 ? " job" : " jobs");
  }
}
