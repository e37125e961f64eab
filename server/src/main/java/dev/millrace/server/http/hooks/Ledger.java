package dev.millrace.server.http.hooks;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Notebook;
import java.lang.System.Logger.Level;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The notes on who knows what: {@code {"after":N,"hooks":[{"after":N,"tries":…},…]}}. A note is
 * dropped when all of a job's webhooks are done. Thread-safe.
 */
final class Ledger {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final Notebook notes;
  private final Object[] locks = new Object[64]; // a note is read and written as one

  Ledger(Notebook notes) {
    this.notes = notes;
    for (int i = 0; i < locks.length; i++) {
      locks[i] = new Object();
    }
  }

  boolean knows(JobId job) {
    return notes.note(Notebook.WEBHOOKS, job.value()).isPresent();
  }

  /** All jobs with a note, in no order. */
  List<JobId> jobs() {
    return notes.names(Notebook.WEBHOOKS).stream()
        .flatMap(name -> JobId.parse(name).stream())
        .toList();
  }

  /** How far the job's webhooks are; empty if they are all done. */
  Optional<List<Progress>> read(JobId job, int hooks) {
    return notes.note(Notebook.WEBHOOKS, job.value()).map(text -> parse(job, text, hooks));
  }

  private static List<Progress> parse(JobId job, String text, int hooks) {
    List<Progress> all = new ArrayList<>();
    try {
      JsonObject note = Json.object(text);
      long after = note.integer("after", 0);
      List<?> told = note.list("hooks");
      for (int i = 0; i < hooks; i++) {
        all.add(
            i < told.size()
                ? Progress.read(JsonObject.of(told.get(i), "hooks"), after)
                : Progress.at(after));
      }
      return all;
    } catch (JsonException | DateTimeException | ArithmeticException e) {
      LOG.log(
          Level.WARNING,
          "webhooks of job " + job + ": the note is unreadable, all is told again: " + e);
      return Collections.nCopies(hooks, Progress.at(0));
    }
  }

  /** Keeps how far one of them is now; durable when this returns. */
  void keep(HookLine line, int hooks, Progress progress) {
    JobId job = line.job();
    synchronized (locks[(job.hashCode() & Integer.MAX_VALUE) % locks.length]) {
      Optional<List<Progress>> before = read(job, hooks);
      if (before.isEmpty()) {
        return;
      }
      List<Progress> all = new ArrayList<>(before.get());
      all.set(line.hook(), progress);
      if (all.stream().allMatch(Progress::done)) {
        drop(job);
      } else {
        notes.keep(Notebook.WEBHOOKS, job.value(), write(all));
      }
    }
  }

  private static String write(List<Progress> all) {
    long after = all.stream().mapToLong(Progress::after).min().orElse(0);
    return Json.write(
        JsonObject.create()
            .put("after", after)
            .put("hooks", all.stream().map(Progress::write).toList()));
  }

  void drop(JobId job) {
    notes.drop(Notebook.WEBHOOKS, job.value());
  }
}
