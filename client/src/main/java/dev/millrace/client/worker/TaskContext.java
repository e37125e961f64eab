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

  /** The task as it was claimed: ids, attempt, stage and job data. */
  public ClaimedTask task() {
    return run.claim();
  }

  /** What to work on. */
  public JsonObject data() {
    return task().task().data();
  }

  /** The same where it may be any JSON value. */
  public @Nullable Object input() {
    return task().task().input();
  }

  /** The input as text: as it is, or as JSON. */
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

  /** Which attempt this is, from 1. */
  public int attempt() {
    return task().attempt();
  }

  /** The trace that the task belongs to. */
  public @Nullable TraceContext trace() {
    return task().task().trace();
  }

  /**
   * Whether to stop: the job was aborted, the claim was lost, or the worker stops. The handler's
   * thread is interrupted too.
   */
  public boolean cancelled() {
    return run.cancelled();
  }

  /** Why it was cancelled; null while it was not. */
  public @Nullable String cancelReason() {
    return run.cancelReason();
  }

  /** Calls {@code action} when the task is cancelled, at once if it is by now; on any thread. */
  public void onCancel(Runnable action) {
    run.onCancel(action);
  }

  /**
   * @throws InterruptedException if the task is cancelled
   */
  public void checkCancelled() throws InterruptedException {
    if (cancelled()) {
      throw new InterruptedException(cancelReason());
    }
  }

  /** Whether a user holds the job: go on, or throw {@link ReleaseTask}. */
  public boolean paused() {
    return run.paused();
  }

  /**
   * How long the claim is certain to hold, counted from when it or its last heartbeat was asked for.
   * Not positive: the server was not reached for so long that another worker may have the task, or
   * the claim had to be waited for as long as its lease is, and the first heartbeat is on its way.
   * Results are fenced all the same; a handler with effects of its
   * own should look here before each.
   */
  public Duration leaseLeft() {
    return run.leaseLeft();
  }

  /** Says that the task got further: told with the next heartbeat, and crashes before it forgiven. */
  public void progress() {
    run.progress();
  }

  /** Adds a line to the job's log. Never waits. */
  public void log(String level, String line) {
    run.log().add(level, line);
  }

  public void info(String line) {
    log("info", line);
  }

  public void warn(String line) {
    log("warn", line);
  }

  /** What there is so far: its first 150,000 characters are kept if this attempt fails. */
  public void partial(@Nullable String output) {
    run.partial(output);
  }

  /** How the result came about: kept with it. */
  public void receipt(@Nullable JsonObject receipt) {
    run.receipt(receipt);
  }

  /** The job as it is now. */
  public ApiJob job() {
    return client.jobs().get(task().jobId());
  }

  /** The stage as it is now. */
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

  /** The API, with requests that belong to the task's trace: to make further work, for instance. */
  public MillraceClient client() {
    return client;
  }
}
