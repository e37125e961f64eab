package dev.millrace.core.move;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A part of a job, in a form that belongs to no store. A job is a stream of them, in the order of
 * the types below: first one {@link Document}, then tasks by stage and number, and so on. Nothing in
 * it says where a store keeps something.
 */
public sealed interface JobRecord {

  /** What it is a record of, for messages. */
  String kind();

  /**
   * The job as submitted.
   *
   * @param spec without tasks
   * @param stages what was given with each stage
   */
  record Document(JobId id, Instant createdAt, JobSpec spec, List<StageShape> stages)
      implements JobRecord {
    @Override
    public String kind() {
      return "document";
    }
  }

  /**
   * The tasks that a stage was submitted with.
   *
   * @param tasks how many
   * @param template whether tasks exist only once it opens
   * @param attempts the limits of tasks that have their own, by task number
   */
  record StageShape(int tasks, boolean template, Map<Integer, Integer> attempts) {}

  /** The types of all stages, also of those that were added. */
  record StageTypes(List<String> types) implements JobRecord {
    @Override
    public String kind() {
      return "stage types";
    }
  }

  /**
   * The texts of a task.
   *
   * @param given as submitted or added; null if it was made of an earlier result
   * @param rendered what earlier results made of a template; null if it is none, or is not open
   */
  record Task(int stage, int task, @Nullable TaskSpec given, @Nullable TaskSpec rendered)
      implements JobRecord {
    @Override
    public String kind() {
      return "task";
    }
  }

  /**
   * The result that counts.
   *
   * @param attempt which attempt produced it
   */
  record Result(int stage, int task, int attempt, TaskResult result) implements JobRecord {
    @Override
    public String kind() {
      return "result";
    }
  }

  /** An entry of the log; where its result is stored is left out. */
  record Entry(LogEntry entry) implements JobRecord {
    @Override
    public String kind() {
      return "log entry";
    }
  }

  /** The output that a worker reported last for a task without a result. */
  record Partial(int stage, int task, @Nullable String output, @Nullable JsonObject receipt)
      implements JobRecord {
    @Override
    public String kind() {
      return "partial output";
    }
  }

  /** Tokens that a task without a result has produced under its present terms. */
  record Journal(int stage, int task, OutputChunk chunk) implements JobRecord {
    @Override
    public String kind() {
      return "journal chunk";
    }
  }

  /** A note about the job, named by its id. */
  record Note(String collection, String text) implements JobRecord {
    @Override
    public String kind() {
      return "note";
    }
  }

  /** A field of the job's metadata that another program has written; only a file can hold it. */
  record ForeignField(String name, @Nullable Object value) implements JobRecord {
    @Override
    public String kind() {
      return "foreign field";
    }
  }

  /** A part of a file that another program has put beside the job; only a directory can hold it. */
  record ForeignFile(String path, long offset, byte[] content) implements JobRecord {
    @Override
    public String kind() {
      return "foreign file";
    }
  }
}
