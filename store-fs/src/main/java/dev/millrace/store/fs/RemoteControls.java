package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Controls;
import dev.millrace.core.store.StoreException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Levers for a process that does not own the workspace. Without an owner it takes the lock and pulls
 * them itself; else it asks the owner. If the owner dies over it, it takes over: a request that was
 * already carried out is recognised by its id.
 */
final class RemoteControls implements Controls {
  private static final long TIMEOUT_NANOS = 30_000_000_000L;

  private final FsSettings settings;
  private final Disk disk;
  private final Places places;

  RemoteControls(FsSettings settings) {
    this.settings = settings;
    this.disk = settings.disk();
    this.places = settings.places();
  }

  @Override
  public Answer pause(JobId id, Cause cause) {
    return (Answer) run(Request.on("pause", id, cause));
  }

  @Override
  public Answer resume(JobId id, Cause cause) {
    return (Answer) run(Request.on("resume", id, cause));
  }

  @Override
  public Answer abort(JobId id, Cause cause) {
    return (Answer) run(Request.on("abort", id, cause));
  }

  @Override
  public Answer approve(JobId id, int stage, Cause cause) {
    return (Answer) run(Request.onStage("approve", id, stage, cause));
  }

  @Override
  public Answer hold(JobId id, int stage, Cause cause) {
    return (Answer) run(Request.onStage("hold", id, stage, cause));
  }

  @Override
  public Added addStage(JobId id, StageSpec spec, Cause cause) {
    return (Added) run(Request.addStage(id, spec, cause));
  }

  @Override
  public Added addTasks(JobId id, int stage, List<TaskSpec> tasks, Cause cause) {
    return (Added) run(Request.addTasks(id, stage, tasks, cause));
  }

  @Override
  public Answer prioritize(JobId id, Priority priority, Cause cause) {
    return (Answer) run(Request.prioritize(id, priority, cause));
  }

  @Override
  public Answer describe(JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    return (Answer) run(Request.describe(id, stage, task, metadata, cause));
  }

  @Override
  public Answer delete(JobId id) {
    return (Answer) run(Request.on("delete", id, Cause.user(null, null)));
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    return (Integer) run(Request.prune(before, states));
  }

  private Object run(Request request) {
    String op = settings.ids().get().value();
    Path file = places.own("inbox").resolve(op + ".json");
    try {
      Optional<Object> done = alone(request, op);
      if (done.isPresent()) {
        return done.get();
      }
      Path temporary = places.own("inbox").resolve(op + ".tmp");
      disk.write(temporary, Text.bytes(request.write(op)));
      disk.rename(temporary, file);
      return await(request, op, file);
    } catch (IOException e) {
      throw Failures.of("cannot reach the owner of " + places.root(), e);
    }
  }

  /** Under the lock, if nobody holds it. */
  private Optional<Object> alone(Request request, String op) {
    try (FsStore store = FsStore.tryOpenBriefly(settings).orElse(null)) {
      return store == null
          ? Optional.empty()
          : Optional.of(Request.read(request.write(op)).run(store));
    }
  }

  private Object await(Request request, String op, Path file) throws IOException {
    Path answer = places.own("answers").resolve(op + ".json");
    long end = System.nanoTime() + TIMEOUT_NANOS;
    for (int round = 1; System.nanoTime() < end; round++) {
      try {
        String text = Text.of(answer, disk.read(answer, 1_000_000));
        disk.delete(answer);
        return Reply.read(text);
      } catch (NoSuchFileException e) {
        pause();
      }
      if (round % 100 == 0) {
        Optional<Object> done = alone(request, op);
        if (done.isPresent()) {
          Trees.delete(disk, file);
          Trees.delete(disk, answer);
          // A deletion leaves nothing to recognise it by.
          boolean gone = request.lever().equals("delete") && done.get() instanceof Answer.Missing;
          return gone ? Answer.DONE : done.get();
        }
      }
    }
    Trees.delete(disk, file);
    throw new StoreException(
        "the owner of "
            + places.root()
            + " did not answer within 30 s; is it"
            + " stopped or overloaded? See \"millrace serve --status\"");
  }

  static void pause() {
    try {
      Thread.sleep(5);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while waiting for the owner's answer", e);
    }
  }
}
