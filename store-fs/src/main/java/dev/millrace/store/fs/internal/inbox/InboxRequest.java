package dev.millrace.store.fs.internal.inbox;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.state.Actor;
import dev.millrace.core.store.JobStore;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A lever that one process asks the owner to carry out, as a file in the inbox.
 *
 * @param more the parameters of this lever
 */
public record InboxRequest(String lever, @Nullable JobId job, Cause cause, JsonObject more) {
  private static final String PLACE = "place";
  private static final String CENSUS = "census";

  public static InboxRequest on(String lever, JobId job, Cause cause) {
    return new InboxRequest(lever, job, cause, JsonObject.create());
  }

  private InboxRequest with(String name, Object value) {
    more.put(name, value);
    return this;
  }

  public static InboxRequest onStage(String lever, JobId job, int stage, Cause cause) {
    return on(lever, job, cause).with("stage", stage);
  }

  /** Not a lever, but a question that only the owner can answer. */
  public static InboxRequest queuePosition(JobId job) {
    return on(PLACE, job, Cause.user(null, null));
  }

  /** Makes a new request. */
  public static InboxRequest queueStats() {
    return new InboxRequest(CENSUS, null, Cause.user(null, null), JsonObject.create());
  }

  public static InboxRequest prune(Instant before, Set<JobState> states) {
    return new InboxRequest("prune", null, Cause.user(null, null), JsonObject.create())
        .with("before", before.toString())
        .with("states", List.copyOf(states));
  }

  public static InboxRequest prioritize(JobId job, Priority priority, Cause cause) {
    return on("prioritize", job, cause).with("priority", priority.name());
  }

  public static InboxRequest replaceMetadata(
      JobId job, int stage, int task, JsonObject metadata, Cause cause) {
    return onStage("describe", job, stage, cause).with("task", task).with("metadata", metadata);
  }

  public static InboxRequest addStage(JobId job, StageSpec spec, Cause cause) {
    return on("addStage", job, cause)
        .with("spec", JobDocument.write(spec))
        .with("tasks", spec.tasks().stream().map(JobDocument::task).toList());
  }

  public static InboxRequest addTasks(JobId job, int stage, List<TaskSpec> tasks, Cause cause) {
    return onStage("addTasks", job, stage, cause)
        .with("tasks", tasks.stream().map(JobDocument::task).toList());
  }

  public String write(String op) {
    JsonObject out =
        JsonObject.create()
            .put("lever", lever)
            .putIfPresent("job", job == null ? null : job.value())
            .putIfPresent("who", cause.who())
            .putIfPresent("comment", cause.comment())
            .put("op", op);
    more.values().forEach(out::put);
    return Json.write(out);
  }

  public static InboxRequest read(String text) {
    try {
      JsonObject in = Json.object(text);
      String job = in.string("job", null);
      return new InboxRequest(
          in.string("lever"),
          job == null ? null : new JobId(job),
          new Cause(
              Actor.USER, in.string("who", null), in.string("comment", null), in.string("op")),
          in);
    } catch (IllegalArgumentException e) {
      throw new JsonException("not a request: " + e.getMessage());
    }
  }

  /** Carries out the lever; a number is how many jobs were pruned. */
  public Object run(JobStore store) {
    try {
      return switch (lever) {
        case "pause" -> store.pause(named(), cause);
        case "resume" -> store.resume(named(), cause);
        case "abort" -> store.abort(named(), cause);
        case "approve" -> store.approve(named(), number("stage"), cause);
        case "hold" -> store.hold(named(), number("stage"), cause);
        case "prioritize" ->
            store.prioritize(named(), Priority.valueOf(more.string("priority")), cause);
        case "describe" ->
            store.replaceMetadata(
                named(), number("stage"), number("task"), more.object("metadata"), cause);
        case "addStage" ->
            store.addStage(
                named(), JobDocument.readStage(more.object("spec"), 0).withTasks(tasks()), cause);
        case "addTasks" -> store.addTasks(named(), number("stage"), tasks(), cause);
        case "delete" -> store.delete(named());
        case PLACE -> store.queuePosition(named());
        case CENSUS -> store.queueStats();
        case "prune" -> store.prune(before(), states());
        default -> throw new JsonException("unknown lever \"" + lever + "\"");
      };
    } catch (DateTimeException e) {
      throw new JsonException("not a request: " + e.getMessage());
    }
  }

  private int number(String name) {
    return Math.clamp(more.integer(name, 0), 0, Integer.MAX_VALUE);
  }

  private List<TaskSpec> tasks() {
    List<TaskSpec> tasks = new ArrayList<>();
    for (Object task : more.list("tasks")) {
      tasks.add(JobDocument.task(task, "task " + (tasks.size() + 1)));
    }
    return tasks;
  }

  private Instant before() {
    String before = more.string("before", null);
    return before == null ? Instant.MIN : Instant.parse(before);
  }

  private Set<JobState> states() {
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    more.list("states").forEach(state -> states.add(JobState.valueOf(String.valueOf(state))));
    return states;
  }

  private JobId named() {
    if (job == null) {
      throw new JsonException("the request names no job");
    }
    return job;
  }
}
