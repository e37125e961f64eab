package dev.millrace.cli.read;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.ApprovalText;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.format.StateNames;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.cli.terminal.TerminalWidth;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** {@code millrace jobs}: lists the newest jobs, one per line. */
public final class JobsCommand implements Command {
  private static final int USUAL = 50;
  private static final Option STATE =
      Option.value(
              "state",
              "STATE",
              "only jobs in this state: queued, running, waiting\n"
                  + "(for approval), paused, done, failed or cancelled\n"
                  + "(repeatable)")
          .choices("queued", "running", "waiting", "paused", "done", "failed", "cancelled")
          .many();
  private static final Option TAG = Option.value("tag", "TAG", "only jobs with this tag");
  private static final Option LIMIT =
      Option.value("limit", "N", "at most the newest N (default " + USUAL + "; 0: all)");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "jobs",
        List.of("[DIR|URL] [options]"),
        "Lists the jobs of a workspace or a server, newest first.",
        List.of(STATE, TAG, LIMIT, PlaceLocator.OPTION),
        """
        The ids are shortened to a part that every command takes; --json has the whole ids, one
        object per line. DONE counts tokens of a single task, else completed tasks of all stages
        so far. A job at a gate is "waiting" until its stage is approved.\
        """);
  }

  @Override
  public int run(Shell shell, Arguments given) {
    PlaceLocator.Found found = PlaceLocator.locate(shell, given);
    if (!found.words().isEmpty()) {
      throw new UsageException("unexpected argument: " + found.words().getFirst());
    }
    try (Place place = found.place()) {
      return list(shell, given, place);
    }
  }

  private static int list(Shell shell, Arguments given, Place place) {
    JobReader reader = place.reader();
    int limit = given.integer(LIMIT, 0, Integer.MAX_VALUE, USUAL);
    int most = limit == 0 ? Integer.MAX_VALUE : limit;
    List<JobId> ids = newest(reader, given, more(most));
    List<JobId> shown = ids.size() > most ? ids.subList(ids.size() - most, ids.size()) : ids;
    if (given.has(Option.JSON)) {
      shown.reversed().forEach(id -> shell.out().println(Json.write(json(place, reader, id))));
      return ExitCode.OK;
    }
    JobsTable table = new JobsTable(place, Instant.now());
    shown.reversed().forEach(table::add);
    shell.out().print(table.text(TerminalWidth.ofOutput(shell), shell.colourful()));
    shell.out().flush();
    if (ids.size() > most) {
      shell.err().println("older jobs are not shown; --limit 0 shows all");
    }
    List<JobId> waiting = ApprovalText.waiting(reader);
    if (!waiting.isEmpty()) {
      shell.err().println(ApprovalText.summary(place.name(), reader, waiting));
    }
    return ExitCode.OK;
  }

  /** The newest jobs that fit, oldest first. */
  private static List<JobId> newest(JobReader reader, Arguments given, int most) {
    List<String> names = new ArrayList<>();
    given.all(STATE).forEach(list -> names.addAll(List.of(list.split(",", -1))));
    boolean waiting = names.removeIf(StateNames.WAITING::equalsIgnoreCase);
    TreeSet<JobId> found = new TreeSet<>();
    if (waiting) {
      found.addAll(reader.list(tagged(given, JobReader.Query.waitingForApproval()).newest(most)));
    }
    if (!waiting || !names.isEmpty()) {
      JobReader.Query query = JobReader.Query.in(states(names, given.has(STATE)));
      found.addAll(reader.list(tagged(given, query).newest(most)));
    }
    while (found.size() > most) {
      found.pollFirst();
    }
    return List.copyOf(found);
  }

  private static JobReader.Query tagged(Arguments given, JobReader.Query query) {
    return query.tagged(tag(given));
  }

  /** Asks for one more than is shown, to know whether there are more. */
  private static int more(int most) {
    return most == Integer.MAX_VALUE ? most : most + 1;
  }

  private static Set<JobState> states(List<String> names, boolean given) {
    Set<JobState> all = EnumSet.complementOf(EnumSet.of(JobState.CREATED));
    return given ? StateNames.parse(names, all, StateNames.WAITING) : all;
  }

  private static @Nullable String tag(Arguments given) {
    try {
      String tag = given.get(TAG);
      return tag == null ? null : JobSpec.requireTag(tag);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private static JsonObject json(Place place, JobReader reader, JobId id) {
    try {
      JobView view = reader.find(id).orElse(null);
      JsonObject out = JsonObject.create().put("id", id.value());
      return view == null
          ? out.put("status", "missing")
          : JobCommand.header(place, out, view)
              .put("done", JobProgress.done(view))
              .put("total", JobProgress.total(view))
              .putIfPresent("receipt", JobJson.receipt(place, reader, view));
    } catch (StoreException e) {
      return JsonObject.create()
          .put("id", id.value())
          .put("status", "unreadable")
          .put("error", ErrorText.of(e));
    }
  }
}
