package dev.millrace.server;

import dev.millrace.core.stage.StageSpec;

/**
 * Works on the tasks of one type. Mostly a lambda: {@code Worker.of("resize", task -> "done")}.
 *
 * <p>Called by many threads at once, one for each task that runs. What is thrown is a failed
 * attempt with the exception's message. When the task is to stop (its job was aborted, its time is
 * over, the server stops), {@link TaskContext#cancelled} turns true, the hooks of {@link
 * TaskContext#onCancel} run, and the thread is interrupted; a task that stops because the server
 * does is released and costs no attempt.
 */
public interface Worker extends AutoCloseable {

  /** Which kind of thread a worker's tasks run on. */
  enum Threading {
    /** For work that mostly waits: a model elsewhere, the network, a program. */
    VIRTUAL,
    /** For work that computes, or blocks in native code: it must not starve virtual threads. */
    PLATFORM
  }

  /** Work whose result is a text. */
  @FunctionalInterface
  interface TextFunction {
    String work(TaskContext task) throws Exception;
  }

  /** Work that decides for itself how it ends. */
  @FunctionalInterface
  interface OutcomeFunction {
    TaskOutcome work(TaskContext task) throws Exception;
  }

  /** The type of the stages whose tasks it works on. */
  String type();

  TaskOutcome work(TaskContext task) throws Exception;

  default Threading threading() {
    return Threading.VIRTUAL;
  }

  /**
   * Whether its tasks go on later from where they stopped. A server that stops tells such a worker
   * at once; other tasks are left to finish.
   */
  default boolean resumable() {
    return false;
  }

  /**
   * Whether it would work on a task now: while it would not, none is claimed for it, and tasks of
   * its type wait for it or for another server. Asked often, by one thread.
   */
  default boolean ready() {
    return true;
  }

  /**
   * Runs {@code hook} each time that {@link #ready} turns true, on any thread. A server gives its
   * own, so that it claims at once.
   */
  default void onReady(Runnable hook) {}

  /** Called once, by the server that it was given to, when that has stopped. */
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
