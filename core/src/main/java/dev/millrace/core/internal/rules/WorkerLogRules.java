package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Fact;
import dev.millrace.core.task.ClaimKey;

/** The rules for the lines that workers add to a job's log. */
public final class WorkerLogRules {
  private static final int MAX_LEVEL = 40;

  private WorkerLogRules() {}

  /**
   * Records a line of a running task, cut to {@link LogLimits#MAX_LINE} characters. The line that
   * reaches the limit of its task or job is followed by one that says so; later lines are dropped.
   */
  public static void record(JobUpdate update, ClaimKey key, String level, String line) {
    LogUsage usage = update.fold().usage();
    if (isFull(usage, key)) {
      return;
    }
    update.record(
        new Fact.WorkerLogLine(
            key.stage(),
            key.task(),
            LogLimits.cut(level, MAX_LEVEL),
            LogLimits.cut(line, LogLimits.MAX_LINE)));
    if (usage.logBytes() >= LogLimits.MAX_JOB_LOG_BYTES) {
      dropped(update, key, "job", LogLimits.MAX_JOB_LOG_BYTES);
    } else if (isFull(usage, key)) {
      dropped(update, key, "task", LogLimits.MAX_TASK_LOG_BYTES);
    }
  }

  private static boolean isFull(LogUsage usage, ClaimKey key) {
    return usage.logBytes() >= LogLimits.MAX_JOB_LOG_BYTES
        || usage.logBytes(key.stage(), key.task()) >= LogLimits.MAX_TASK_LOG_BYTES;
  }

  private static void dropped(JobUpdate update, ClaimKey key, String whose, long limit) {
    String text =
        "further lines of this " + whose + " are dropped: it has logged " + limit + " bytes";
    update.record(new Fact.WorkerLogLine(key.stage(), key.task(), "warn", text));
  }
}
