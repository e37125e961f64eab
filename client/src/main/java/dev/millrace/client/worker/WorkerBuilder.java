package dev.millrace.client.worker;

import dev.millrace.client.MillraceClient;
import dev.millrace.core.task.Backoff;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Builds a worker; all settings but the stage type and the handler have defaults. */
public final class WorkerBuilder {
  private final MillraceClient client;
  private final String type;
  private final TaskHandler handler;
  private @Nullable String name;
  private int concurrency = 1;
  private Duration lease = Duration.ofSeconds(60);
  private @Nullable Duration heartbeat;
  private Duration longPoll = Duration.ofSeconds(5);
  private Backoff backoff = new Backoff(Duration.ofMillis(100), 2.0, Duration.ofSeconds(5), 0.25);
  private BreakerSettings dequeueBreaker = BreakerSettings.DEFAULT;
  private BreakerSettings handlerBreaker = BreakerSettings.DEFAULT;
  private Duration grace = Duration.ofSeconds(30);
  private ThreadFactory threads = Thread.ofVirtual().name("millrace-task-", 0).factory();
  private Consumer<WorkerEvent> listener = event -> {};

  WorkerBuilder(MillraceClient client, String type, TaskHandler handler) {
    this.client = client;
    this.type = type;
    this.handler = handler;
  }

  /** The name of the worker in logs; the default is the host name and the process id. */
  public WorkerBuilder name(String value) {
    name = value;
    return this;
  }

  /** How many tasks run at once, 1 to 10,000; the default is 1. */
  public WorkerBuilder concurrency(int value) {
    concurrency = value;
    return this;
  }

  /** How long a claim lasts without a heartbeat, 5 s to 1 h; the default is 60 s. */
  public WorkerBuilder lease(Duration value) {
    lease = value;
    return this;
  }

  /** The time between heartbeats; the default is a third of the lease. */
  public WorkerBuilder heartbeat(Duration value) {
    heartbeat = value;
    return this;
  }

  /** How long the server may hold a poll without a task, up to 60 s; a stop waits for the poll. */
  public WorkerBuilder longPoll(Duration value) {
    longPoll = value;
    return this;
  }

  /** The waits after empty polls and errors; the wait of a poll at the server counts. */
  public WorkerBuilder backoff(Backoff value) {
    backoff = value;
    return this;
  }

  public WorkerBuilder dequeueBreaker(BreakerSettings value) {
    dequeueBreaker = value;
    return this;
  }

  public WorkerBuilder handlerBreaker(BreakerSettings value) {
    handlerBreaker = value;
    return this;
  }

  /** How long {@link Worker#close} waits for running tasks; the default is 30 s. */
  public WorkerBuilder grace(Duration value) {
    grace = value;
    return this;
  }

  /** The threads for handlers; the default is virtual threads. */
  public WorkerBuilder threads(ThreadFactory value) {
    threads = value;
    return this;
  }

  /** Receives all events, on the thread where they happen; it must return quickly. */
  public WorkerBuilder listener(Consumer<WorkerEvent> value) {
    listener = value;
    return this;
  }

  public Worker build() {
    return new Worker(
        client,
        handler,
        new WorkerSettings(
            type,
            name == null ? defaultName() : name,
            concurrency,
            new WorkerSettings.Timing(
                lease, heartbeat == null ? lease.dividedBy(3) : heartbeat, longPoll, grace),
            backoff,
            new WorkerSettings.Breakers(dequeueBreaker, handlerBreaker),
            threads,
            listener));
  }

  private static String defaultName() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "worker";
    }
    String shortened = host.length() > 60 ? host.substring(0, 60) : host;
    return shortened + "-" + ProcessHandle.current().pid();
  }
}
