package dev.millrace.server;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a worker knows of its task and can do with it. Thread-safe: a worker may pass it to its own
 * threads.
 */
public interface TaskContext {

  /** The claim: task, job and fencing token. */
  Claim claim();

  /** The input as text; a value that is not text as JSON. */
  default String text() {
    return claim().inputText();
  }

  /** The input: text, or any JSON value. */
  default @Nullable Object input() {
    return claim().input();
  }

  /** The parameters of the stage. */
  default JsonObject data() {
    return claim().data();
  }

  /** The number of this attempt, from 1. */
  default int attempt() {
    return claim().attempt();
  }

  /**
   * The trace that this attempt belongs to: its own span if the server makes one, else the trace of
   * the task, its stage or its job; null if none has one. May read the store.
   */
  default @Nullable TraceContext trace() {
    return claim().view().trace();
  }

  /**
   * The position of this claim among all claims of this server; lower ones should be served first.
   */
  long claimOrder();

  /** When this attempt will be stopped unless the clock is set; empty if it has no time limit. */
  Optional<Instant> deadline();

  /** Adds a line to the job's log. A line that cannot be stored does not fail the task. */
  void log(String line);

  /** Reports progress: server crashes before this no longer count against the task. */
  void progress();

  /**
   * Stores the terms of this attempt for all later ones ({@link Claim#frozenTerms}), and drops the
   * journal of earlier attempts.
   *
   * @return false if the claim is lost; the worker should stop then
   */
  boolean freeze(JsonObject terms);

  /**
   * Journals output as it is produced, for readers and for the next attempt ({@link
   * Claim#journaledTokens}). Called by one thread at a time, in order. While the store fails, this
   * call waits, so that the journal has no gap. A worker whose tasks wait for a turn journals {@link
   * OutputChunk#WAITING} when a task is prepared, and {@link OutputChunk#EMPTY} when it starts: a
   * server crash in between does not count against the task.
   */
  void journal(OutputChunk chunk);

  /**
   * Reports what the task does now, for people who watch it; nothing else depends on it. Journaling
   * output reports {@link TaskPhase#GENERATE} by itself.
   *
   * @param model that the task runs on; null: none, or as reported before
   */
  default void phase(TaskPhase phase, @Nullable String model) {}

  /**
   * Reports that {@code done} of {@code total} tokens of the prompt are computed: {@link
   * TaskPhase#PREFILL}, unless none is. Never waits: the thread of an engine may call it.
   */
  default void promptProgress(int done, int total) {}

  /**
   * Declares when the task waits for something outside of this server, such as another machine. A
   * waiting task gives its slot to others and runs on without one; nothing else changes.
   *
   * @param waiting called often by a thread of the server; returns at once
   */
  void releaseSlotWhile(BooleanSupplier waiting);

  /**
   * Whether and why the task should stop: what {@link #paused}, {@link #cancelled}, {@link
   * #timedOut} and their hooks tell.
   */
  StopSignal stopSignal();

  /**
   * Whether a user paused the job. A task that can be resumed later should be released; others run
   * on.
   */
  default boolean paused() {
    return stopSignal().isPaused();
  }

  /**
   * Calls {@code hook} once when {@link #paused} becomes true, at once if it is. It runs on a
   * thread of the server and must return quickly.
   */
  default void onPause(Runnable hook) {
    stopSignal().onPause(hook);
  }

  /**
   * Whether to stop: the job was aborted, the time limit is reached, the claim is lost, or the
   * server stops.
   */
  default boolean cancelled() {
    return stopSignal().mustStop();
  }

  /** Whether to stop because the time limit is reached. */
  default boolean timedOut() {
    return stopSignal().reason() == StopSignal.Reason.TIMED_OUT;
  }

  /**
   * Calls {@code hook} once when {@link #cancelled} becomes true, at once if it is. It runs on a
   * thread of the server and must return quickly.
   */
  default void onCancel(Runnable hook) {
    stopSignal().onStop(hook);
  }
}
