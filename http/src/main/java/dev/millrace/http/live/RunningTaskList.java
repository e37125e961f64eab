package dev.millrace.http.live;

import dev.millrace.api.live.LiveTask;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.store.Claim;
import dev.millrace.http.live.RemoteClaims.RemoteTask;
import dev.millrace.server.RunningTask;
import dev.millrace.server.TaskPhase;
import dev.millrace.server.TaskProgress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tasks that run: those of this server, and those of the remote workers that it knows. */
final class RunningTaskList {
  /** The most tasks that are shown. */
  static final int MAX_TASKS = 100;

  private final ServerAccess access;
  private final RemoteClaims remote;

  RunningTaskList(ServerAccess access, RemoteClaims remote) {
    this.access = access;
    this.remote = remote;
  }

  /** A task, before it is known whether it is shown. */
  private record Found(
      EntityId id, String type, String worker, Instant since, @Nullable TaskProgress progress) {
    static Found of(RunningTask task) {
      Claim claim = task.claim();
      String worker = claim.view().worker();
      return new Found(
          new EntityId(claim.job(), claim.key().stage(), claim.key().task()),
          claim.type(),
          worker == null ? "" : worker,
          task.since(),
          task.progress());
    }

    static Found of(RemoteTask task) {
      EntityId id = new EntityId(task.job(), task.key().stage(), task.key().task());
      return new Found(id, task.type(), task.worker(), task.since(), null);
    }
  }

  /**
   * What is shown of the tasks.
   *
   * @param total how many there are
   */
  record Shown(List<LiveTask> tasks, int total) {}

  /** The longest running first. */
  Shown read(JobNames names) {
    List<Found> found = new ArrayList<>();
    access.runningTasks().forEach(task -> found.add(Found.of(task)));
    remote.tasks().forEach(task -> found.add(Found.of(task)));
    found.sort(Comparator.comparing(Found::since));
    List<LiveTask> tasks =
        found.stream().limit(MAX_TASKS).map(task -> of(task, names.of(task.id().job()))).toList();
    return new Shown(tasks, found.size());
  }

  private static LiveTask of(Found task, @Nullable String name) {
    EntityId id = task.id();
    TaskProgress progress = task.progress();
    return new LiveTask(
        id.uuid(),
        EntityId.of(id.job()).uuid(),
        id.job(),
        name,
        id.stage(),
        id.task(),
        task.type(),
        progress == null ? null : progress.model(),
        task.worker(),
        task.since(),
        progress == null ? LiveTask.Phase.RUNNING : phase(progress.phase()),
        progress == null || progress.promptTotal() == 0
            ? null
            : new LiveTask.Prompt(progress.promptDone(), progress.promptTotal()),
        progress == null || progress.textLength() == 0 && progress.tokens() == 0
            ? null
            : output(progress));
  }

  private static LiveTask.Output output(TaskProgress progress) {
    return new LiveTask.Output(
        progress.tokens(),
        WorkRates.oneDigit(progress.tokensPerSecond()),
        progress.tail(),
        progress.textLength());
  }

  private static LiveTask.Phase phase(TaskPhase phase) {
    return switch (phase) {
      case STARTING -> LiveTask.Phase.STARTING;
      case PREFILL -> LiveTask.Phase.PREFILL;
      case GENERATE -> LiveTask.Phase.GENERATE;
      case RUNNING -> LiveTask.Phase.RUNNING;
    };
  }
}
