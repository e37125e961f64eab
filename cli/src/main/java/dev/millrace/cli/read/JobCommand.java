package dev.millrace.cli.read;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.ApprovalText;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.format.ShownStatus;
import dev.millrace.cli.place.MissingJob;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.cli.terminal.TimeText;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import java.util.ArrayList;
import java.util.List;

/** {@code millrace job}: shows everything about one job. */
public final class JobCommand implements Command {
  private static final int LAST = 10;
  private static final int PAGE = 1_000;
  private static final Option EVENTS =
      Option.flag("events", "print the whole log instead, one JSON object per line");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "job",
        List.of("[DIR|URL] ID [options]"),
        "Shows a job: its stages, times, error and last events.",
        List.of(EVENTS, PlaceLocator.OPTION),
        "");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    PlaceLocator.Found found = PlaceLocator.locate(shell, given);
    List<JobId> ids = found.ids();
    if (ids.size() > 1) {
      throw new UsageException("only one job ID may be provided");
    }
    try (Place place = found.place()) {
      return show(shell, given, place, ids.getFirst());
    }
  }

  private static int show(Shell shell, Arguments given, Place place, JobId id) {
    JobReader reader = place.reader();
    JobView view = reader.find(id).orElseThrow(() -> MissingJob.error(place, id));
    if (given.has(EVENTS)) {
      events(shell, reader, id);
      return ExitCode.OK;
    }
    List<LogEntry> last = last(reader, view);
    if (given.has(Option.JSON)) {
      shell.out().println(Json.write(json(place, reader, view, last)));
    } else {
      new JobDetailsText(shell, place).print(view, last);
    }
    return ExitCode.OK;
  }

  /** Over HTTP the length of the log is not known: it is read to its end. */
  private static List<LogEntry> last(JobReader reader, JobView view) {
    JobId id = view.header().id();
    List<LogEntry> last = new ArrayList<>();
    for (List<LogEntry> page = reader.events(id, Math.max(0, view.lastEvent() - LAST), PAGE);
        !page.isEmpty();
        page = reader.events(id, page.getLast().number(), PAGE)) {
      last.addAll(page);
      last.subList(0, Math.max(0, last.size() - LAST)).clear();
    }
    return last;
  }

  private static void events(Shell shell, JobReader reader, JobId id) {
    long seen = 0;
    while (true) {
      List<LogEntry> page = reader.events(id, seen, PAGE);
      if (page.isEmpty()) {
        return;
      }
      for (LogEntry entry : page) {
        shell.out().println(LogEntryJson.write(entry));
        seen = entry.number();
      }
    }
  }

  private static JsonObject json(Place place, JobReader reader, JobView view, List<LogEntry> last) {
    JsonObject out =
        header(
                place,
                JsonObject.create()
                    .put("id", view.header().id().value())
                    .put("uuid", EntityId.of(view.header().id()).toString()),
                view)
            .put("stages", JobJson.stages(view));
    if (!view.header().metadata().values().isEmpty()) {
      out.put("metadata", view.header().metadata());
    }
    return out.putIfPresent("error", JobJson.error(reader, view))
        .putIfPresent("receipt", JobJson.receipt(place, reader, view))
        .put("last_event", last.isEmpty() ? 0 : last.getLast().number())
        .put("events", last.stream().map(LogEntryJson::toJson).toList());
  }

  /** The fields that every listing has. */
  static JsonObject header(Place place, JsonObject out, JobView view) {
    out.putIfPresent("name", view.header().name())
        .put("state", view.state().name())
        .put("status", JobJson.word(ShownStatus.of(place, view.state())))
        .putIfPresent("waits_for", ApprovalText.json(view))
        .put("priority", view.header().priority().name())
        .putIfPresent("parent", view.header().parent())
        .putIfPresent("retry_of", view.header().retryOf());
    if (!view.header().tags().isEmpty()) {
      out.put("tags", view.header().tags());
    }
    return out.put("submitted_at", TimeText.micros(view.createdAt()))
        .putIfPresent("started_at", TimeText.micros(view.startedAt()))
        .putIfPresent("completed_at", TimeText.micros(view.completedAt()))
        .putIfPresent("duration_s", TimeText.seconds(view.startedAt(), view.completedAt()));
  }
}
