package dev.millrace.http.live;

import dev.millrace.api.live.LiveTask;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.store.Claim;
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
  private record Found(Claim claim, Instant since, @Nullable TaskProgress progress) {}

  /** All of them, longest running first; of those beyond {@link #MAX_TASKS}, names are not read. */
  List<LiveTask> read(JobNames names) {
    List<Found> found = new ArrayList<>();
    for (RunningTask task : access.runningTasks()) {
      found.add(new Found(task.claim(), task.since(), task.progress()));
    }
    for (Claim claim : remote.claims()) {
      found.add(new Found(claim, claim.view().updatedAt(), null));
    }
    found.sort(Comparator.comparing(Found::since));
    List<LiveTask> tasks = new ArrayList<>();
    for (Found task : found) {
      String name = tasks.size() < MAX_TASKS ? names.of(task.claim().job()) : null;
      tasks.add(of(task, name));
    }
    return tasks;
  }

  private static LiveTask of(Found task, @Nullable String name) {
    Claim claim = task.claim();
    TaskProgress progress = task.progress();
    String worker = claim.view().worker();
    return new LiveTask(
        new EntityId(claim.job(), claim.key().stage(), claim.key().task()).uuid(),
        EntityId.of(claim.job()).uuid(),
        claim.job(),
        name,
        claim.key().stage(),
        claim.key().task(),
        claim.type(),
        progress == null ? null : progress.model(),
        worker == null ? "" : worker,
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
