package dev.millrace.client.worker;

import dev.millrace.client.MillraceClient;
import dev.millrace.core.task.Backoff;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a worker can be told; the rest has defaults. */
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

  /** For the job's log; the host's name and the process's number if none is given. */
  public WorkerBuilder name(String value) {
    name = value;
    return this;
  }

  /** How many tasks at once. */
  public WorkerBuilder concurrency(int value) {
    concurrency = value;
    return this;
  }

  /** How long a claim lives without a heartbeat, 5 s to 1 h. */
  public WorkerBuilder lease(Duration value) {
    lease = value;
    return this;
  }

  /** How often to renew leases; a third of the lease if nothing is said. */
  public WorkerBuilder heartbeat(Duration value) {
    heartbeat = value;
    return this;
  }

  /** How long the server may keep a poll waiting for work, up to 60 s; a stop waits for it. */
  public WorkerBuilder longPoll(Duration value) {
    longPoll = value;
    return this;
  }

  /** The waits after empty polls and errors; a poll that waited at the server counts. */
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

  /** How long {@link Worker#close} lets what runs finish. */
  public WorkerBuilder grace(Duration value) {
    grace = value;
    return this;
  }

  /** What handlers run on, where that should not be virtual threads. */
  public WorkerBuilder threads(ThreadFactory value) {
    threads = value;
    return this;
  }

  /** Told of everything, on the thread where it happens: it should be quick. */
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
            name == null ? ownName() : name,
            concurrency,
            new WorkerSettings.Timing(
                lease, heartbeat == null ? lease.dividedBy(3) : heartbeat, longPoll, grace),
            backoff,
            new WorkerSettings.Breakers(dequeueBreaker, handlerBreaker),
            threads,
            listener));
  }

  private static String ownName() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "worker";
    }
    String shown = host.length() > 60 ? host.substring(0, 60) : host;
    return shown + "-" + ProcessHandle.current().pid();
  }
}
