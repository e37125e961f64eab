package dev.millrace.core.internal.store;

import dev.millrace.core.internal.rules.JsonSize;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The limits on how many tasks, and how much input, a job may have. */
public final class JobSizeLimits {
  /** The most bytes in all inputs of a job together, as its files hold them. */
  public static final long MAX_JOB_BYTES = 1_000_000_000;

  /** The most JSON values in the input of a task, and in its metadata: they are read whole. */
  public static final int MAX_VALUES = 500_000;

  private JobSizeLimits() {}

  /** Refuses a job with too many tasks, with one that is too large, or with too much input. */
  public static void requireJob(JobSpec spec) {
    requireTaskCount(spec.stages());
    long total = 0;
    for (StageSpec stage : spec.stages()) {
      total = requireTotal(total, requireTasks(stage.tasks()));
    }
  }

  private static void requireTaskCount(List<StageSpec> stages) {
    long tasks = 0;
    int before = 0;
    for (StageSpec stage : stages) {
      before = stage.each() == null ? stage.tasks().size() : before;
      tasks += before;
    }
    if (tasks > JobSpec.MAX_TASKS) {
      throw new IllegalArgumentException(
          "job too large: " + tasks + " tasks, at most " + JobSpec.MAX_TASKS);
    }
  }

  /**
   * Adds {@code more} bytes of input to {@code total}; refuses a job that gets too large.
   *
   * @return the new total
   */
  public static long requireTotal(long total, long more) {
    if (total + more > MAX_JOB_BYTES) {
      throw new IllegalArgumentException(
          "job too large: more than " + MAX_JOB_BYTES + " bytes of input");
    }
    return total + more;
  }

  /**
   * Refuses an input or metadata that are too large, and text that is not valid Unicode.
   *
   * @return how many bytes of UTF-8 the text inputs of these tasks have together
   */
  public static long requireTasks(List<TaskSpec> tasks) {
    long total = 0;
    for (TaskSpec task : tasks) {
      if (task.input() instanceof String text) {
        int bytes = utf8Length(text);
        if (bytes > JobSpec.MAX_PROMPT_BYTES) {
          throw new IllegalArgumentException(
              "Prompt too large: " + bytes + " bytes, at most " + JobSpec.MAX_PROMPT_BYTES);
        }
        total += bytes;
      } else {
        requireValue("input", task.input());
      }
      requireValue("metadata", task.metadata());
    }
    return total;
  }

  private static void requireValue(String what, @Nullable Object value) {
    JsonSize size = JsonSize.of(value);
    if (size.values() > MAX_VALUES) {
      throw new IllegalArgumentException(
          "a task's " + what + " has " + size.values() + " JSON values, at most " + MAX_VALUES);
    }
    if (size.mostJsonBytes() > JobSpec.MAX_PROMPT_BYTES) {
      int bytes = utf8Length(Json.write(value));
      if (bytes > JobSpec.MAX_PROMPT_BYTES) {
        throw new IllegalArgumentException(
            "a task's "
                + what
                + " has "
                + bytes
                + " bytes of JSON, at most "
                + JobSpec.MAX_PROMPT_BYTES);
      }
    }
  }

  private static int utf8Length(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        bytes++;
      } else if (c < 0x800) {
        bytes += 2;
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        bytes += 4;
        i++;
      } else if (Character.isSurrogate(c)) {
        throw new IllegalArgumentException(
            "the prompt is not valid Unicode: a lone surrogate at character " + i);
      } else {
        bytes += 3;
      }
    }
    return bytes;
  }
}
