package dev.millrace.core.event;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.event.Fact.Opening;
import dev.millrace.core.job.Adoption;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.state.Actor;
import dev.millrace.core.task.TaskEvent;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the lines of {@code events.jsonl}: {@code n}, {@code at}, {@code on},
 * {@code event}, …
 */
public final class LogEntryJson {

  /**
   * The version of new logs, in their first line. In version 1 a failed job aborts everything that
   * has not ended; since version 2 a failed stage aborts its tasks, and later stages keep their state.
   */
  public static final int VERSION = 2;

  /**
   * The event of a line whose terms name earlier lines for values that they have in common. Only a
   * store that writes such lines can complete them.
   */
  public static final String SHARED_FREEZE = "freeze_shared";

  /** The event of a line that has all its terms. */
  public static final String FREEZE = "freeze";

  private LogEntryJson() {}

  /** The line of an entry, without its newline. */
  public static String write(LogEntry entry) {
    return Json.write(toJson(entry));
  }

  public static JsonObject toJson(LogEntry entry) {
    JsonObject out = JsonObject.create().put("n", entry.number()).put("at", entry.at().toString());
    switch (entry.fact()) {
      case Fact.Submitted(int version) ->
          out.put("on", "job").put("event", "submit").put("v", version);
      case Fact.JobChanged(JobEvent event, Cause cause) ->
          cause(out.put("on", "job").put("event", name(event)), cause);
      case Fact.StageChanged(int stage, StageEvent event, Cause cause, Opening opening) -> {
        cause(out.put("on", "stage").put("stage", stage).put("event", name(event)), cause);
        if (opening != null) {
          out.put("tasks", opening.tasks()).putIfPresent("unresolved", opening.error());
        }
      }
      case Fact.TaskChanged(int stage, int task, TaskEvent event, Detail detail) ->
          detail(
              out.put("on", "task").put("stage", stage).put("task", task).put("event", name(event)),
              detail);
      case Fact.TaskProgressed(int stage, int task) ->
          out.put("on", "task").put("stage", stage).put("task", task).put("event", "progress");
      case Fact.TermsFrozen(int stage, int task, JsonObject terms) ->
          out.put("on", "task")
              .put("stage", stage)
              .put("task", task)
              .put("event", FREEZE)
              .put("terms", terms);
      case Fact.StageAdded(int stage, StageSpec spec, Cause cause) ->
          cause(
              out.put("on", "stage")
                  .put("stage", stage)
                  .put("event", "add")
                  .put("spec", JobDocument.write(spec)),
              cause);
      case Fact.TasksAdded(int stage, int tasks, int attempts, Cause cause) -> {
        out.put("on", "stage").put("stage", stage).put("event", "tasks").put("tasks", tasks);
        if (attempts > 0) {
          out.put("maxAttempts", attempts);
        }
        cause(out, cause);
      }
      case Fact.MetadataReplaced(int stage, int task, JsonObject metadata, Cause cause) -> {
        out.put("on", task > 0 ? "task" : stage > 0 ? "stage" : "job");
        if (stage > 0) {
          out.put("stage", stage);
        }
        if (task > 0) {
          out.put("task", task);
        }
        cause(out.put("event", "describe").put("metadata", metadata), cause);
      }
      case Fact.Prioritized(Priority priority, Cause cause) ->
          cause(
              out.put("on", "job").put("event", "prioritize").put("priority", priority.name()),
              cause);
      case Fact.WorkerLogLine(int stage, int task, String level, String text) -> {
        out.put("on", "log").put("level", level);
        if (stage > 0) {
          out.put("stage", stage).put("task", task);
        }
        out.put("line", text);
      }
    }
    return out;
  }

  private static void cause(JsonObject out, Cause cause) {
    out.put("by", name(cause.by()))
        .putIfPresent("who", cause.who())
        .putIfPresent("comment", cause.comment())
        .putIfPresent("op", cause.op());
  }

  private static void detail(JsonObject out, Detail detail) {
    switch (detail) {
      case Detail.None() -> {}
      case Detail.Claimed(long epoch, String worker, Duration lease, boolean tokenless) -> {
        out.put("epoch", epoch).put("worker", worker);
        if (lease != null) {
          out.put("lease", lease.toMillis());
        }
        if (tokenless) {
          out.put("bare", true);
        }
      }
      case Detail.Completed(long offset, int length) -> stored(out, offset, length);
      case Detail.Adopted(Adoption from, long offset, int length) -> {
        out.put("job", from.job().value())
            .put("from", from.task())
            .put("submitted", from.submittedAt().toString());
        stored(out, offset, length);
      }
      case Detail.Retrying(String error, Instant notBefore) ->
          out.put("error", error).put("notBefore", notBefore.toString());
      case Detail.Ended(String error) -> out.put("error", error);
      case Detail.Released(String reason, boolean crash) ->
          out.put("reason", reason).put("crash", crash);
    }
  }

  private static void stored(JsonObject out, long offset, int length) {
    if (length > 0) {
      out.put("offset", offset).put("length", length);
    }
  }

  /** Reads a line; refuses unknown events and fields. */
  public static LogEntry read(String line) {
    return read(Json.object(line));
  }

  /** As {@link #read(String)}, of a line that was parsed. */
  public static LogEntry read(JsonObject in) {
    try {
      return new LogEntry(in.integer("n"), Instant.parse(in.string("at")), fact(in));
    } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
      throw new JsonException("not an event: " + e.getMessage());
    }
  }

  /**
   * The number of a line's entry, which may have terms that only its store can complete.
   *
   * @throws JsonException if the line is no entry that is known
   */
  public static long number(String line) {
    JsonObject in = Json.object(line);
    return read(SHARED_FREEZE.equals(in.get("event")) ? in.put("event", FREEZE) : in).number();
  }

  private static Fact fact(JsonObject in) {
    return switch (in.string("on")) {
      case "job" ->
          switch (in.string("event")) {
            case "submit" -> submitted(in);
            case "describe" -> described(in);
            case "prioritize" ->
                new Fact.Prioritized(Priority.valueOf(in.string("priority")), cause(in));
            default -> new Fact.JobChanged(value(JobEvent.class, in), cause(in));
          };
      case "stage" ->
          switch (in.string("event")) {
            case "add" ->
                new Fact.StageAdded(
                    stage(in), JobDocument.readStage(in.object("spec"), stage(in)), cause(in));
            case "tasks" ->
                new Fact.TasksAdded(
                    stage(in),
                    Math.toIntExact(in.integer("tasks")),
                    Math.toIntExact(in.integer("maxAttempts", 0)),
                    cause(in));
            case "describe" -> described(in);
            default ->
                new Fact.StageChanged(
                    stage(in), value(StageEvent.class, in), cause(in), opening(in));
          };
      case "task" ->
          switch (in.string("event")) {
            case "progress" -> new Fact.TaskProgressed(stage(in), task(in));
            case FREEZE -> new Fact.TermsFrozen(stage(in), task(in), in.object("terms"));
            case "describe" -> described(in);
            default -> task(in, value(TaskEvent.class, in));
          };
      case "log" ->
          new Fact.WorkerLogLine(
              Math.toIntExact(in.integer("stage", 0)),
              Math.toIntExact(in.integer("task", 0)),
              in.string("level"),
              in.string("line"));
      case String other -> throw new JsonException("unknown subject \"" + other + "\"");
    };
  }

  private static Fact described(JsonObject in) {
    return new Fact.MetadataReplaced(
        Math.toIntExact(in.integer("stage", 0)),
        Math.toIntExact(in.integer("task", 0)),
        in.object("metadata"),
        cause(in));
  }

  private static Fact submitted(JsonObject in) {
    long version = in.integer("v");
    if (version < 1 || version > VERSION) {
      throw new JsonException("log version " + version + " is not one of 1 to " + VERSION);
    }
    return new Fact.Submitted((int) version);
  }

  private static Fact task(JsonObject in, TaskEvent event) {
    Detail detail =
        switch (event) {
          case CLAIM ->
              new Detail.Claimed(
                  in.integer("epoch"),
                  in.string("worker"),
                  in.has("lease") ? Duration.ofMillis(in.integer("lease")) : null,
                  in.flag("bare", false));
          case COMPLETE -> new Detail.Completed(in.integer("offset", 0), length(in));
          case ADOPT ->
              new Detail.Adopted(
                  new Adoption(
                      new JobId(in.string("job")),
                      Math.toIntExact(in.integer("from")),
                      Instant.parse(in.string("submitted"))),
                  in.integer("offset", 0),
                  length(in));
          case RETRY ->
              new Detail.Retrying(in.string("error"), Instant.parse(in.string("notBefore")));
          case FAIL, CEILING, EXPIRE -> new Detail.Ended(in.string("error"));
          case RELEASE -> new Detail.Released(in.string("reason"), in.flag("crash", false));
          case ENQUEUE, ABORT -> Detail.NONE;
        };
    return new Fact.TaskChanged(stage(in), task(in), event, detail);
  }

  private static @Nullable Opening opening(JsonObject in) {
    return in.has("tasks")
        ? new Opening(Math.toIntExact(in.integer("tasks")), in.string("unresolved", null))
        : null;
  }

  private static Cause cause(JsonObject in) {
    return new Cause(
        Actor.valueOf(in.string("by").toUpperCase(Locale.ROOT)),
        in.string("who", null),
        in.string("comment", null),
        in.string("op", null));
  }

  private static int length(JsonObject in) {
    return Math.toIntExact(in.integer("length", 0));
  }

  private static int stage(JsonObject in) {
    return Math.toIntExact(in.integer("stage"));
  }

  private static int task(JsonObject in) {
    return Math.toIntExact(in.integer("task"));
  }

  private static <E extends Enum<E>> E value(Class<E> type, JsonObject in) {
    return Enum.valueOf(type, in.string("event").toUpperCase(Locale.ROOT));
  }

  private static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
