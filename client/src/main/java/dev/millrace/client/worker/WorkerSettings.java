package dev.millrace.client.worker;

import dev.millrace.client.StagesApi;
import dev.millrace.core.task.Backoff;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * The settings of a worker. {@link WorkerBuilder} has the defaults.
 *
 * @param backoff the waits after empty polls, and between tries to report a result
 * @param threads makes the threads that run handlers
 */
record WorkerSettings(
    String type,
    String name,
    int concurrency,
    Timing timing,
    Backoff backoff,
    Breakers breakers,
    ThreadFactory threads,
    Consumer<WorkerEvent> listener) {

  /**
   * @param lease how long a claim lasts without a heartbeat
   * @param heartbeat the time between heartbeats
   * @param longPoll how long the server may wait for a task before it answers a poll
   * @param grace how long running tasks may take to finish when the worker stops
   */
  record Timing(Duration lease, Duration heartbeat, Duration longPoll, Duration grace) {
    Timing {
      if (heartbeat.isNegative() || heartbeat.isZero() || heartbeat.compareTo(lease) >= 0) {
        throw new IllegalArgumentException(
            "heartbeat must be longer than 0 and shorter than the lease, got " + heartbeat);
      }
    }
  }

  /**
   * @param dequeue guards the server against polls
   * @param handler guards what handlers depend on against new tasks
   */
  record Breakers(BreakerSettings dequeue, BreakerSettings handler) {}

  WorkerSettings {
    dequeueRequest(type, name, timing, 1); // checks type, name, lease and longPoll
    if (concurrency < 1 || concurrency > 10_000) {
      throw new IllegalArgumentException("concurrency must be 1 to 10000, got " + concurrency);
    }
  }

  /** The request for up to {@code limit} tasks. */
  StagesApi.DequeueRequest dequeueRequest(int limit) {
    return dequeueRequest(type, name, timing, limit);
  }

  private static StagesApi.DequeueRequest dequeueRequest(
      String type, String name, Timing timing, int limit) {
    return new StagesApi.DequeueRequest(type, name, timing.lease(), limit, timing.longPoll());
  }
}
