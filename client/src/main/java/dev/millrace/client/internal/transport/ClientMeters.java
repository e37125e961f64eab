package dev.millrace.client.internal.transport;

import java.time.Duration;
import java.util.function.Supplier;

/** Receives what happens in clients and workers, for metrics. Called by many threads at once. */
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
   * One try of a request has ended.
   *
   * @param status 0 if no answer came
   */
  default void requested(ClientRequest request, int status, Duration time) {}

  default void retried(String reason) {}

  /**
   * A request to create something has ended.
   *
   * @param what {@code job}, {@code stage} or {@code task}
   */
  default void produced(String what, boolean done, Duration time) {}

  default void dequeued(String type, Duration time) {}

  default void statusUpdated(String type, String status, boolean accepted, Duration time) {}

  default void taskStarted(String type) {}

  /**
   * A handler has ended, and its result was reported.
   *
   * @param outcome {@code completed}, {@code failed} or {@code dropped}
   */
  default void taskEnded(String type, String outcome, Duration time) {}

  /**
   * A circuit breaker has changed.
   *
   * @param state 0 closed, 1 half open, 2 open
   */
  default void breaker(String type, String breaker, int state) {}

  default void emptyPolls(String type, int inARow) {}

  default void workerStarted(RunningWorker worker) {}

  default void workerStopped(RunningWorker worker) {}

  ClientMeters NONE = new ClientMeters() {};
}
