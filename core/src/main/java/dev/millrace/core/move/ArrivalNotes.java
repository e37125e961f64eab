package dev.millrace.core.move;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.NoteStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The notes of jobs that have arrived in a store, until the store that they come from knows it. A
 * job that arrived, ended and was deleted is so told from one that never arrived.
 */
public final class ArrivalNotes {
  public static final String COLLECTION = "arrivals";

  private ArrivalNotes() {}

  /** The note of a job. */
  public static String text(TakenOutJob job, String from) {
    return Json.write(JsonObject.create().put("from", from).put("ticket", job.ticket()));
  }

  /** Whether the note says that the job came with this ticket. */
  public static boolean isThere(NoteStore notes, TakenOutJob job) {
    return field(notes, job.id(), "ticket").filter(job.ticket()::equals).isPresent();
  }

  /** The jobs that came from a store. */
  public static List<JobId> from(NoteStore notes, String identity) {
    List<JobId> found = new ArrayList<>();
    for (String name : notes.noteNames(COLLECTION)) {
      JobId.parse(name)
          .filter(id -> field(notes, id, "from").filter(identity::equals).isPresent())
          .ifPresent(found::add);
    }
    return found;
  }

  private static Optional<String> field(NoteStore notes, JobId id, String field) {
    return notes
        .readNote(COLLECTION, id.value())
        .flatMap(
            text -> {
              try {
                return Optional.ofNullable(Json.object(text).string(field, null));
              } catch (JsonException e) {
                return Optional.empty(); // a crash cut it short: the job was not published
              }
            });
  }
}
