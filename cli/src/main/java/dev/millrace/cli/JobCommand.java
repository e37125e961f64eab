package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.EntryJson;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Reading;
import java.util.ArrayList;
import java.util.List;

/** {@code millrace job}: everything about one job. */
final class JobCommand implements Command {
  private static final int LAST = 10;
  private static final int PAGE = 1_000;
  private static final Option EVENTS =
      Option.flag("events", "print the whole log instead, one JSON object a line");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "job",
        List.of("[DIR|URL] ID [options]"),
        "Shows a job: its stages, times, error and last events.",
        List.of(EVENTS, Workspaces.OPTION),
        "");
  }

  @Override
  public int run(Shell shell, Arguments given) {
    Workspaces.Found found = Workspaces.locate(shell, given);
    List<JobId> ids = found.ids();
    if (ids.size() > 1) {
      throw new UsageException("only one job ID may be provided");
    }
    try (Place place = found.place()) {
      return show(shell, given, place, ids.getFirst());
    }
  }

  private static int show(Shell shell, Arguments given, Place place, JobId id) {
    Reading reading = place.reading();
    JobView view =
        reading
            .find(id)
            .orElseThrow(
                () ->
                    new Refusal(
                        "no job "
                            + id
                            + " in "
                            + place.name()
                            + "; \"millrace jobs\" lists those that there are"));
    if (given.has(EVENTS)) {
      events(shell, reading, id);
      return ExitCode.OK;
    }
    List<Entry> last = last(reading, view);
    if (given.has(Option.JSON)) {
      shell.out().println(Json.write(json(place, reading, view, last)));
    } else {
      new JobText(shell, place).print(view, last);
    }
    return ExitCode.OK;
  }

  /** A server does not tell how long the log is: then it is read to its end. */
  private static List<Entry> last(Reading reading, JobView view) {
    JobId id = view.header().id();
    if (view.lastEvent() > 0) {
      return reading.events(id, Math.max(0, view.lastEvent() - LAST), LAST);
    }
    List<Entry> last = new ArrayList<>();
    for (List<Entry> page = reading.events(id, 0, PAGE);
        !page.isEmpty();
        page = reading.events(id, page.getLast().number(), PAGE)) {
      last.addAll(page);
      last.subList(0, Math.max(0, last.size() - LAST)).clear();
    }
    return last;
  }

  private static void events(Shell shell, Reading reading, JobId id) {
    long seen = 0;
    while (true) {
      List<Entry> page = reading.events(id, seen, PAGE);
      if (page.isEmpty()) {
        return;
      }
      for (Entry entry : page) {
        shell.out().println(EntryJson.write(entry));
        seen = entry.number();
      }
    }
  }

  private static JsonObject json(Place place, Reading reading, JobView view, List<Entry> last) {
    JsonObject out =
        header(
                JsonObject.create()
                    .put("id", view.header().id().value())
                    .put("uuid", EntityId.of(view.header().id()).toString()),
                view)
            .put("stages", JobObject.stages(view));
    if (!view.header().metadata().values().isEmpty()) {
      out.put("metadata", view.header().metadata());
    }
    return out.putIfPresent("error", JobObject.error(reading, view))
        .putIfPresent("receipt", JobObject.receipt(place, reading, view))
        .put("last_event", last.isEmpty() ? 0 : last.getLast().number())
        .put("events", last.stream().map(EntryJson::toJson).toList());
  }

  /** What every listing says of a job. */
  static JsonObject header(JsonObject out, JobView view) {
    out.putIfPresent("name", view.header().name())
        .put("state", view.state().name())
        .put("status", StateNames.word(view.state()))
        .put("priority", view.header().priority().name())
        .putIfPresent("parent", view.header().parent())
        .putIfPresent("retry_of", view.header().retryOf());
    if (!view.header().tags().isEmpty()) {
      out.put("tags", view.header().tags());
    }
    return out.put("submitted_at", Times.micros(view.createdAt()))
        .putIfPresent("started_at", Times.micros(view.startedAt()))
        .putIfPresent("completed_at", Times.micros(view.completedAt()))
        .putIfPresent("duration_s", Times.seconds(view.startedAt(), view.completedAt()));
  }
}
