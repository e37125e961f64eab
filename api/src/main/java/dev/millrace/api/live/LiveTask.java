package dev.millrace.api.live;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task that runs.
 *
 * @param stage the number of its stage
 * @param task its number in the stage
 * @param model that it runs on; null if it has none, or none yet
 * @param startTime when its present worker claimed it
 * @param prompt null until the size of its prompt is known
 * @param output null if it has put out nothing yet
 */
public record LiveTask(
    UUID taskId,
    UUID jobId,
    JobId ownId,
    @Nullable String name,
    int stage,
    int task,
    String type,
    @Nullable String model,
    String worker,
    Instant startTime,
    Phase phase,
    @Nullable Prompt prompt,
    @Nullable Output output) {

  /** What it does now. */
  public enum Phase {
    /** It waits for its model, or for its place in the batch. */
    STARTING,
    PREFILL,
    GENERATE,
    /** Its worker says no more. */
    RUNNING;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** How many tokens of its prompt are computed. */
  public record Prompt(int done, int total) {}

  /**
   * Its output so far.
   *
   * @param tokensPerSecond in the last seconds
   * @param tail the end of the text
   * @param length characters of the whole text
   */
  public record Output(long tokens, double tokensPerSecond, String tail, long length) {}

  static LiveTask fromJson(JsonObject in) {
    return new LiveTask(
        LiveFields.uuid(in, "taskId"),
        LiveFields.uuid(in, "jobId"),
        new JobId(in.string("ownId")),
        in.string("name", null),
        LiveFields.integer(in, "stage"),
        LiveFields.integer(in, "task"),
        in.string("type"),
        in.string("model", null),
        in.string("worker"),
        Instant.parse(in.string("startTime")),
        Phase.valueOf(in.string("phase").toUpperCase(Locale.ROOT)),
        in.has("promptTotal")
            ? new Prompt(
                LiveFields.integer(in, "promptDone"), LiveFields.integer(in, "promptTotal"))
            : null,
        in.has("tokens")
            ? new Output(
                in.integer("tokens"),
                in.number("tokensPerSecond", 0),
                in.string("text"),
                in.integer("textLength"))
            : null);
  }

  JsonObject toJson() {
    JsonObject out =
        JsonObject.create()
            .put("taskId", taskId.toString())
            .put("jobId", jobId.toString())
            .put("ownId", ownId.value())
            .putIfPresent("name", name)
            .put("stage", stage)
            .put("task", task)
            .put("type", type)
            .putIfPresent("model", model)
            .put("worker", worker)
            .put("startTime", startTime.truncatedTo(ChronoUnit.MILLIS).toString())
            .put("phase", phase.word());
    if (prompt != null) {
      out.put("promptDone", prompt.done()).put("promptTotal", prompt.total());
    }
    if (output != null) {
      out.put("tokens", output.tokens())
          .put("tokensPerSecond", output.tokensPerSecond())
          .put("text", output.tail())
          .put("textLength", output.length());
    }
    return out;
  }
}
