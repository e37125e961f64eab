package dev.millrace.store.fs.internal.move;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.MoveDestination;
import dev.millrace.core.move.TakenOutJob;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.StrictUtf8;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code move.json} of a job that was taken out of a workspace.
 *
 * @param state where the job was
 * @param takenAt when it was taken out
 * @param movedAt when it was marked as moved; null: it may not have arrived
 */
public record MoveMark(
    JobState state, String ticket, MoveDestination to, Instant takenAt, @Nullable Instant movedAt) {
  public static final String FILE = "move.json";
  private static final int MAX_BYTES = 64_000;

  byte[] bytes() {
    JsonObject json =
        JsonObject.create()
            .put("v", 1)
            .put("state", state.name())
            .put("ticket", ticket)
            .put("to", JsonObject.create().put("id", to.identity()).put("name", to.name()))
            .put("taken_at", takenAt.toString())
            .putIfPresent("moved_at", movedAt == null ? null : movedAt.toString());
    return StrictUtf8.bytes(Json.pretty(json) + "\n");
  }

  MoveMark moved(Instant at) {
    return new MoveMark(state, ticket, to, takenAt, movedAt == null ? at : movedAt);
  }

  TakenOutJob of(JobId id) {
    return new TakenOutJob(id, ticket, to, movedAt != null);
  }

  /** The mark in a directory; empty if it has none that can be read. */
  static Optional<MoveMark> read(Disk disk, Path dir) throws IOException {
    Path file = dir.resolve(FILE);
    try {
      return Optional.of(parse(Json.object(StrictUtf8.of(file, disk.read(file, MAX_BYTES)))));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (JsonException | IllegalArgumentException | DateTimeParseException e) {
      return Optional.empty();
    }
  }

  private static MoveMark parse(JsonObject json) {
    JsonObject to = json.object("to");
    String moved = json.string("moved_at", null);
    return new MoveMark(
        JobState.valueOf(json.string("state")),
        json.string("ticket"),
        new MoveDestination(to.string("id"), to.string("name")),
        Instant.parse(json.string("taken_at")),
        moved == null ? null : Instant.parse(moved));
  }

  /** The mark of a job that was taken out of a workspace. */
  public static Optional<TakenOutJob> find(Disk disk, WorkspaceLayout layout, JobId id)
      throws IOException {
    return read(disk, layout.moved(id)).map(mark -> mark.of(id));
  }

  /** All jobs that were taken out of a workspace and are still there. */
  public static void forEach(Disk disk, WorkspaceLayout layout, Consumer<TakenOutJob> jobs)
      throws IOException {
    List<JobId> ids = new ArrayList<>();
    try {
      disk.list(
          layout.moved(),
          name -> {
            JobId.parse(name).ifPresent(ids::add);
            return true;
          });
    } catch (NoSuchFileException e) {
      return; // no job was ever moved
    }
    ids.sort(null);
    for (JobId id : ids) {
      find(disk, layout, id).ifPresent(jobs);
    }
  }
}
