package dev.millrace.http.webhook;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.NoteStore;
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
final class DeliveryStore {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final NoteStore notes;
  private final Object[] locks = new Object[64]; // a note is read and written as one

  DeliveryStore(NoteStore notes) {
    this.notes = notes;
    for (int i = 0; i < locks.length; i++) {
      locks[i] = new Object();
    }
  }

  boolean contains(JobId job) {
    return notes.readNote(NoteStore.WEBHOOKS, job.value()).isPresent();
  }

  /** All jobs with a note, in no order. */
  List<JobId> jobs() {
    return notes.noteNames(NoteStore.WEBHOOKS).stream()
        .flatMap(name -> JobId.parse(name).stream())
        .toList();
  }

  /** How far the job's webhooks are; empty if they are all done. */
  Optional<List<DeliveryProgress>> read(JobId job, int hooks) {
    return notes.readNote(NoteStore.WEBHOOKS, job.value()).map(text -> parse(job, text, hooks));
  }

  private static List<DeliveryProgress> parse(JobId job, String text, int hooks) {
    List<DeliveryProgress> all = new ArrayList<>();
    try {
      JsonObject note = Json.object(text);
      long after = note.integer("after", 0);
      List<?> told = note.list("hooks");
      for (int i = 0; i < hooks; i++) {
        all.add(
            i < told.size()
                ? DeliveryProgress.read(JsonObject.of(told.get(i), "hooks"), after)
                : DeliveryProgress.at(after));
      }
      return all;
    } catch (JsonException | DateTimeException | ArithmeticException e) {
      LOG.log(
          Level.WARNING,
          "webhooks of job " + job + ": the note is unreadable, all is told again: " + e);
      return Collections.nCopies(hooks, DeliveryProgress.at(0));
    }
  }

  /** Keeps how far one of them is now; durable when this returns. */
  void save(WebhookKey line, int hooks, DeliveryProgress progress) {
    JobId job = line.job();
    synchronized (locks[(job.hashCode() & Integer.MAX_VALUE) % locks.length]) {
      Optional<List<DeliveryProgress>> before = read(job, hooks);
      if (before.isEmpty()) {
        return;
      }
      List<DeliveryProgress> all = new ArrayList<>(before.get());
      all.set(line.index(), progress);
      if (all.stream().allMatch(DeliveryProgress::done)) {
        drop(job);
      } else {
        notes.writeNote(NoteStore.WEBHOOKS, job.value(), write(all));
      }
    }
  }

  private static String write(List<DeliveryProgress> all) {
    long after = all.stream().mapToLong(DeliveryProgress::after).min().orElse(0);
    return Json.write(
        JsonObject.create()
            .put("after", after)
            .put("hooks", all.stream().map(DeliveryProgress::write).toList()));
  }

  void drop(JobId job) {
    notes.deleteNote(NoteStore.WEBHOOKS, job.value());
  }
}
