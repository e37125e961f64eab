package dev.millrace.client.internal.transport;

import java.time.Duration;
import java.util.function.Supplier;

/** What is counted; all of it may be called by many threads at once. */
public interface ClientMeters {

  /**
   * A worker between its start and its stop. It equals only itself, because its supplier does: pass
   * the same instance to {@link #workerStarted} and {@link #workerStopped}.
   *
   * @param type the stage type whose tasks it processes
   * @param uptime the time since its start
   */
  record RunningWorker(String type, String name, Supplier<Duration> uptime) {}

  /**
   * @param status 0 where no answer came
   */
  default void requested(ClientRequest request, int status, Duration time) {}

  default void retried(String reason) {}

  /** Something was made: a {@code job}, a {@code stage} or {@code task}s. */
  default void produced(String what, boolean done, Duration time) {}

  default void dequeued(String type, Duration time) {}

  default void statusUpdated(String type, String status, boolean accepted, Duration time) {}

  default void taskStarted(String type) {}

  /**
   * @param outcome {@code completed}, {@code failed} or {@code dropped}
   */
  default void taskEnded(String type, String outcome, Duration time) {}

  /**
   * @param state 0 closed, 1 half open, 2 open
   */
  default void breaker(String type, String breaker, int state) {}

  default void emptyPolls(String type, int inARow) {}

  default void workerStarted(RunningWorker worker) {}

  default void workerStopped(RunningWorker worker) {}

  ClientMeters NONE = new ClientMeters() {};
}
