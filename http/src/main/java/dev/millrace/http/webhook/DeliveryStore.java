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
 * Stores the progress of webhooks in a note for each job: {@code
 * {"after":N,"hooks":[{"after":N,"tries":…},…]}}. It deletes a note when all webhooks of the job
 * are done. Thread-safe.
 */
final class DeliveryStore {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final NoteStore notes;
  private final Object[] locks = new Object[64]; // reading and writing a note is one step

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

  /** The progress of the job's webhooks; empty if all are done. */
  Optional<List<DeliveryProgress>> read(JobId job, int count) {
    return notes.readNote(NoteStore.WEBHOOKS, job.value()).map(text -> parse(job, text, count));
  }

  private static List<DeliveryProgress> parse(JobId job, String text, int count) {
    List<DeliveryProgress> all = new ArrayList<>();
    try {
      JsonObject note = Json.object(text);
      long after = note.integer("after", 0);
      List<?> stored = note.list("hooks");
      for (int i = 0; i < count; i++) {
        all.add(
            i < stored.size()
                ? DeliveryProgress.read(JsonObject.of(stored.get(i), "hooks"), after)
                : DeliveryProgress.at(after));
      }
      return all;
    } catch (JsonException | DateTimeException | ArithmeticException e) {
      LOG.log(
          Level.WARNING,
          "webhooks of job " + job + ": the note is unreadable, all events are sent again: " + e);
      return Collections.nCopies(count, DeliveryProgress.at(0));
    }
  }

  /** Saves the progress of one webhook; durable when this returns. */
  void save(WebhookKey key, int count, DeliveryProgress progress) {
    JobId job = key.job();
    synchronized (locks[(job.hashCode() & Integer.MAX_VALUE) % locks.length]) {
      Optional<List<DeliveryProgress>> before = read(job, count);
      if (before.isEmpty()) {
        return;
      }
      List<DeliveryProgress> all = new ArrayList<>(before.get());
      all.set(key.index(), progress);
      if (all.stream().allMatch(DeliveryProgress::done)) {
        delete(job);
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

  void delete(JobId job) {
    notes.deleteNote(NoteStore.WEBHOOKS, job.value());
  }
}
