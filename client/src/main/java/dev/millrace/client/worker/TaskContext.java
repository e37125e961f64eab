package dev.millrace.client.worker;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.ClaimedTask;
import dev.millrace.client.MillraceClient;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A task as its handler sees it. Thread-safe. */
public final class TaskContext {
  private final TaskRun run;
  private final MillraceClient client;

  TaskContext(TaskRun run, MillraceClient client) {
    this.run = run;
    this.client = client;
  }

  /** The claimed task: ids, attempt, data of the stage and the job. */
  public ClaimedTask task() {
    return run.claim();
  }

  /** The input of the task, as an object. */
  public JsonObject data() {
    return task().task().data();
  }

  /** The input of the task, which may be any JSON value. */
  public @Nullable Object input() {
    return task().task().input();
  }

  /** The input as text; JSON if it is not a text. */
  public String text() {
    return input() instanceof String text ? text : Json.write(input());
  }

  /** The parameters of the stage. */
  public JsonObject stageData() {
    return task().stageData();
  }

  public JsonObject jobData() {
    return task().jobData();
  }

  /** The number of this attempt, from 1. */
  public int attempt() {
    return task().attempt();
  }

  /** The trace that the task belongs to. */
  public @Nullable TraceContext trace() {
    return task().task().trace();
  }

  /**
   * Whether the handler should stop: the job was aborted, the claim was lost, or the worker stops.
   * The thread of the handler is interrupted as well.
   */
  public boolean cancelled() {
    return run.cancelled();
  }

  /** Why the task is cancelled; null if it is not. */
  public @Nullable String cancelReason() {
    return run.cancelReason();
  }

  /** Calls {@code action} when the task is cancelled, or now if it already is; on any thread. */
  public void onCancel(Runnable action) {
    run.onCancel(action);
  }

  /**
   * Throws if the task is cancelled.
   *
   * @throws InterruptedException if the task is cancelled
   */
  public void checkCancelled() throws InterruptedException {
    if (cancelled()) {
      throw new InterruptedException(cancelReason());
    }
  }

  /** Whether the job is paused: the handler may continue, or throw {@link ReleaseTask}. */
  public boolean paused() {
    return run.paused();
  }

  /**
   * How long the claim is certain to last, counted from the request for it or for its last
   * heartbeat. If this is not positive, the claim may have expired and another worker may have the
   * task: no heartbeat has succeeded for the time of a lease, or the long poll took that long and
   * the first heartbeat is under way. The fencing token protects results in any case; a handler
   * with side effects should check this before each.
   */
  public Duration leaseLeft() {
    return run.leaseLeft();
  }

  /**
   * Marks progress. The next heartbeat reports it, and earlier crashes of workers no longer count
   * against the task.
   */
  public void progress() {
    run.progress();
  }

  /** Adds a line to the log of the job. Never blocks. */
  public void log(String level, String line) {
    run.log().add(level, line);
  }

  public void info(String line) {
    log("info", line);
  }

  public void warn(String line) {
    log("warn", line);
  }

  /** Sets the partial output; if this attempt fails, its first 150,000 characters are stored. */
  public void partial(@Nullable String output) {
    run.partial(output);
  }

  /** Sets the receipt, which is stored with the result: how the result was produced. */
  public void receipt(@Nullable JsonObject receipt) {
    run.receipt(receipt);
  }

  /** Fetches the current state of the job. */
  public ApiJob job() {
    return client.jobs().get(task().jobId());
  }

  /** Fetches the current state of the stage. */
  public ApiStage stage() {
    return client.stages().get(task().task().stageId());
  }

  public void updateTaskUserMetadata(JsonObject metadata) {
    client.tasks().updateUserMetadata(task().id(), metadata);
  }

  public void updateStageUserMetadata(JsonObject metadata) {
    client.stages().updateUserMetadata(task().task().stageId(), metadata);
  }

  public void updateJobUserMetadata(JsonObject metadata) {
    client.jobs().updateUserMetadata(task().jobId(), metadata);
  }

  /** A client whose requests belong to the trace of the task, for example to submit more jobs. */
  public MillraceClient client() {
    return client;
  }
}
