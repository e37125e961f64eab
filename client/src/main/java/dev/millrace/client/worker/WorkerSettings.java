package dev.millrace.client.worker;

import dev.millrace.client.StagesApi;
import dev.millrace.core.task.Backoff;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/** How a worker works. {@link WorkerBuilder} makes it and has the defaults. */
record WorkerSettings(
    String type,
    String name,
    int concurrency,
    Duration lease,
    Duration heartbeat,
    Duration longPoll,
    Backoff backoff,
    BreakerSettings dequeueBreaker,
    BreakerSettings handlerBreaker,
    Duration grace,
    ThreadFactory threads,
    Consumer<WorkerEvent> listener) {

  WorkerSettings {
    // Checks type, name, lease and longPoll by the rules of the request that they end up in.
    new StagesApi.DequeueRequest(type, name, lease, 1, longPoll);
    if (concurrency < 1 || concurrency > 10_000) {
      throw new IllegalArgumentException("concurrency must be 1 to 10000, got " + concurrency);
    }
    if (heartbeat.isNegative() || heartbeat.isZero() || heartbeat.compareTo(lease) >= 0) {
      throw new IllegalArgumentException(
          "heartbeat must be longer than 0 and shorter than the lease, got " + heartbeat);
    }
  }
}
