package dev.millrace.server;

import dev.millrace.core.stage.StageSpec;

/**
 * Processes the tasks of one type. Often a lambda: {@code Worker.of("resize", task -> "done")}.
 *
 * <p>Called by many threads at once, one for each running task. An exception is a failed attempt
 * with the exception's message. When a task must stop (its job was aborted, its time limit is
 * reached, the server stops), {@link TaskContext#cancelled} becomes true, the hooks of {@link
 * TaskContext#onCancel} run, and the thread is interrupted. A task that stops because the server
 * stops is released and costs no attempt.
 */
public interface Worker extends AutoCloseable {

  /** The kind of thread that a worker's tasks run on. */
  enum Threading {
    /** For work that mostly waits: the network, a program, a remote model. */
    VIRTUAL,
    /** For work that computes or blocks in native code, which would starve virtual threads. */
    PLATFORM
  }

  /** A function whose result is text. */
  @FunctionalInterface
  interface TextFunction {
    String work(TaskContext task) throws Exception;
  }

  /** A function that returns the outcome itself. */
  @FunctionalInterface
  interface OutcomeFunction {
    TaskOutcome work(TaskContext task) throws Exception;
  }

  /** The type of the stages whose tasks this worker processes. */
  String type();

  TaskOutcome work(TaskContext task) throws Exception;

  default Threading threading() {
    return Threading.VIRTUAL;
  }

  /**
   * Whether its tasks can be resumed later where they stopped. A server that stops cancels such
   * tasks at once, and lets others finish.
   */
  default boolean resumable() {
    return false;
  }

  /**
   * Whether the worker could process a task now. While it is not ready, no task is claimed for it;
   * tasks of its type wait, or another server claims them. Called often, by one thread.
   */
  default boolean ready() {
    return true;
  }

  /**
   * Runs {@code hook} each time {@link #ready} becomes true, on any thread. The server registers a
   * hook in order to claim at once.
   */
  default void onReady(Runnable hook) {}

  /** Called once by its server after that has stopped. */
  @Override
  default void close() {}

  static Worker of(String type, TextFunction text) {
    return ofOutcome(type, task -> TaskOutcome.done(text.work(task)));
  }

  static Worker ofOutcome(String type, OutcomeFunction body) {
    return new LambdaWorker(StageSpec.requireType(type), body);
  }

  /** The same worker, on platform threads. */
  default Worker onPlatformThreads() {
    return new PlatformThreadWorker(this);
  }
}
