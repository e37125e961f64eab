package dev.millrace.cli.read;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.format.StateColours;
import dev.millrace.cli.format.StateNames;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.cli.terminal.Colour;
import dev.millrace.cli.terminal.DurationText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cli.terminal.TextTable;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.StoreException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code millrace jobs}: lists the newest jobs, one per line. */
public final class JobsCommand implements Command {
  private static final int USUAL = 50;
  private static final Option STATE =
      Option.value(
              "state",
              "STATE",
              "only jobs in this state: queued, running, paused,\n"
                  + "done, failed or cancelled (repeatable)")
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
        "With --json one object per line. Progress counts completed tasks of all stages so far.");
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
    List<JobId> ids =
        reader.list(new JobReader.Query(states(given), tag(given), null, true, more(most)));
    List<JobId> shown = ids.size() > most ? ids.subList(ids.size() - most, ids.size()) : ids;
    if (given.has(Option.JSON)) {
      shown.reversed().forEach(id -> shell.out().println(Json.write(json(place, reader, id))));
      return ExitCode.OK;
    }
    TextTable table =
        new TextTable("ID", "NAME", "STATE", "PRIORITY", ">PROGRESS", ">AGE", ">DURATION");
    shown.reversed().forEach(id -> row(table, reader, id));
    shell.out().print(table.text(shell.colourful()));
    if (ids.size() > most) {
      shell.out().flush();
      shell.err().println("older jobs are not shown; --limit 0 shows all");
    }
    return ExitCode.OK;
  }

  /** Asks for one more than is shown, to know whether there are more. */
  private static int more(int most) {
    return most == Integer.MAX_VALUE ? most : most + 1;
  }

  private static Set<JobState> states(Arguments given) {
    Set<JobState> all = EnumSet.complementOf(EnumSet.of(JobState.CREATED));
    return given.has(STATE) ? StateNames.parse(given.all(STATE), all) : all;
  }

  private static @Nullable String tag(Arguments given) {
    try {
      String tag = given.get(TAG);
      return tag == null ? null : JobSpec.requireTag(tag);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private static void row(TextTable table, JobReader reader, JobId id) {
    try {
      JobView view = reader.find(id).orElse(null);
      if (view != null) {
        Instant now = Instant.now();
        String name = view.header().name();
        table.row(
            id,
            name == null ? "-" : SanitizedText.line(name, 30),
            new TextTable.Cell(view.state().name(), StateColours.of(view.state())),
            view.header().priority(),
            done(view) + "/" + total(view),
            DurationText.between(view.createdAt(), null, now),
            DurationText.between(view.startedAt(), view.completedAt(), now));
      }
    } catch (StoreException e) {
      table.row(id, "-", new TextTable.Cell("UNREADABLE", Colour.RED), "-", "-", "-", "-");
    }
  }

  private static int done(JobView view) {
    return view.stages().stream().mapToInt(JobJson::completedTasks).sum();
  }

  private static int total(JobView view) {
    return view.stages().stream().mapToInt(StageView::total).sum();
  }

  private static JsonObject json(Place place, JobReader reader, JobId id) {
    try {
      JobView view = reader.find(id).orElse(null);
      JsonObject out = JsonObject.create().put("id", id.value());
      return view == null
          ? out.put("status", "missing")
          : JobCommand.header(out, view)
              .put("done", done(view))
              .put("total", total(view))
              .putIfPresent("receipt", JobJson.receipt(place, reader, view));
    } catch (StoreException e) {
      return JsonObject.create()
          .put("id", id.value())
          .put("status", "unreadable")
          .put("error", ErrorText.of(e));
    }
  }
}
