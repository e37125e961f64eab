package dev.millrace.core.internal.move;

import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskState;
import java.util.ArrayList;
import java.util.List;

/** The tasks of a job that workers have. */
public final class RunningTasks {
  private RunningTasks() {}

  /**
   * Releases all of them, which costs no attempt; late answers are then fenced.
   *
   * @return the claims that have ended
   */
  public static List<ClaimKey> release(JobUpdate update, String reason) {
    List<ClaimKey> released = new ArrayList<>();
    for (StageFold stage : update.fold().stages()) {
      for (int task = 1; stage.count(TaskState.IN_PROGRESS) > 0 && task <= stage.size(); task++) {
        FencingToken token = stage.task(task).token();
        if (stage.task(task).state() == TaskState.IN_PROGRESS && token != null) {
          ClaimKey key = new ClaimKey(stage.number(), task, token);
          ClaimRules.release(update, key, reason);
          released.add(key);
        }
      }
    }
    return released;
  }
}
