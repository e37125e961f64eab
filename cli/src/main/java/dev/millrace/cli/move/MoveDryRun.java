package dev.millrace.cli.move;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceOpener;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.StoreException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a move would do, as far as it shows without changing anything. */
final class MoveDryRun {
  private static final int PAGE = 20_000;

  private final Shell shell;
  private final boolean json;
  private final Map<JobState, Integer> states = new EnumMap<>(JobState.class);
  private final JsonObject left = JsonObject.create();
  private long onTheWay;

  MoveDryRun(Shell shell, boolean json) {
    this.shell = shell;
    this.json = json;
  }

  int run(String from, String to) {
    try (Place source = PlaceOpener.openExisting(shell, from);
        Place target = PlaceOpener.exists(shell, to) ? PlaceOpener.openExisting(shell, to) : null) {
      requireStores(source, target);
      look(source, target);
      source.forEachTakenOut(job -> onTheWay += job.arrived() ? 0 : 1);
      print(source, source.owner().held());
    }
    return left.values().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private static void requireStores(Place source, @Nullable Place target) {
    String identity = source.identity();
    if (identity != null && target != null && identity.equals(target.identity())) {
      throw new CommandException(
          source.name() + " and " + target.name() + " are the same store, or copies of it");
    }
  }

  private void look(Place source, @Nullable Place target) {
    JobId last = null;
    for (List<JobId> page = page(source, null); !page.isEmpty(); page = page(source, last)) {
      for (JobId id : page) {
        last = id;
        String problem = problem(source, target, id);
        if (problem != null) {
          left.put(id.value(), problem);
        }
      }
    }
  }

  private static List<JobId> page(Place source, @Nullable JobId after) {
    return source.reader().list(Query.all().oldest(PAGE).beyond(after));
  }

  private @Nullable String problem(Place source, @Nullable Place target, JobId id) {
    try {
      source.reader().find(id).ifPresent(job -> states.merge(job.state(), 1, Integer::sum));
      boolean taken = target != null && target.reader().state(id).isPresent();
      return taken ? "another job in " + target.name() + " has this id" : null;
    } catch (StoreException e) {
      return ErrorText.of(e);
    }
  }

  private void print(Place source, boolean served) {
    if (json) {
      JsonObject counts = JsonObject.create();
      states.forEach((state, count) -> counts.put(state.name(), count));
      shell.printLine(
          Json.write(
              JsonObject.create()
                  .put("dryRun", true)
                  .put("served", served)
                  .put("jobs", counts)
                  .put("onTheWay", onTheWay)
                  .put("left", left)));
      return;
    }
    states.forEach(
        (state, count) -> shell.out().println(count + " " + state.name().toLowerCase(Locale.ROOT)));
    if (onTheWay > 0) {
      shell.out().println(onTheWay + " on their way, from a move that was interrupted");
    }
    shell.out().flush();
    left.values().forEach((id, why) -> shell.err().println("would stay: " + id + ": " + why));
    if (served) {
      shell.err().println(source.name() + " is served: its servers must be stopped first");
    }
    int count = states.values().stream().mapToInt(each -> each).sum();
    shell.err().println("would move " + count + (count == 1 ? " job" : " jobs"));
  }
}
