package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.EntryJson;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Reading;
import dev.millrace.store.fs.Workspace;
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
        List.of("[DIR] ID [options]"),
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
    JobId id = ids.getFirst();
    Reading reading = found.workspace().reading();
    JobView view =
        reading
            .find(id)
            .orElseThrow(
                () ->
                    new Refusal(
                        "no job "
                            + id
                            + " in "
                            + found.workspace().root()
                            + "; \"millrace jobs\" lists those that there are"));
    if (given.has(EVENTS)) {
      events(shell, reading, id);
      return ExitCode.OK;
    }
    List<Entry> last = reading.events(id, Math.max(0, view.lastEvent() - LAST), LAST);
    if (given.has(Option.JSON)) {
      shell.out().println(Json.write(json(found.workspace(), reading, view, last)));
    } else {
      new JobText(shell, reading, found.workspace()).print(view, last);
    }
    return ExitCode.OK;
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

  private static JsonObject json(
      Workspace workspace, Reading reading, JobView view, List<Entry> last) {
    JsonObject out =
        header(JsonObject.create().put("id", view.header().id().value()), view)
            .put("stages", JobObject.stages(view));
    if (!view.header().metadata().values().isEmpty()) {
      out.put("metadata", view.header().metadata());
    }
    return out.putIfPresent("error", JobObject.error(reading, view))
        .putIfPresent("receipt", JobObject.receipt(workspace, reading, view))
        .put("last_event", view.lastEvent())
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
