package dev.millrace.client.worker;

import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.ScriptedServer;
import dev.millrace.client.ScriptedServer.Script;
import dev.millrace.client.internal.transport.TimeSource;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Backoff;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A scripted server and the worker under test. */
final class WorkerFixture implements AutoCloseable {
  static final UUID TASK = new UUID(3, 3);
  static final String DEQUEUE = "PATCH /v1/stages/resize/tasks/dequeue";
  static final String STATUS = "PUT /v1/tasks/.*/status";
  static final String HEARTBEAT = "PUT /v1/tasks/.*/heartbeat";
  static final String RELEASE = "PUT /v1/tasks/.*/release";
  static final String LOGS = "POST /v1/tasks/.*/logs";
  static final Duration LONG = Duration.ofSeconds(30);

  final ScriptedServer server = new ScriptedServer();
  final List<WorkerEvent> events = new CopyOnWriteArrayList<>();

  /** Polls wait for this when the queue is empty. */
  final CountDownLatch testEnd = new CountDownLatch(1);

  private @Nullable MillraceClient client;
  private @Nullable Worker worker;

  WorkerFixture() {
    server.on(STATUS, ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create())));
    server.on(RELEASE, ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create())));
    server.on(LOGS, ScriptedServer.json(200, JsonObject.create()));
    server.on(HEARTBEAT, heartbeat(false, false));
    queue(1);
  }

  static Script heartbeat(boolean cancel, boolean pause) {
    return ScriptedServer.json(
        200, JsonObject.create().put("cancel", cancel).put("pause", pause).put("leaseSeconds", 60));
  }

  /** Queues {@code tasks} tasks, which polls get one by one. */
  WorkerFixture queue(int tasks) {
    Script[] scripts = new Script[tasks + 1];
    Arrays.fill(scripts, 0, tasks, ScriptedServer.json(200, List.of(ScriptedServer.claimed(TASK))));
    scripts[tasks] = this::emptyQueue;
    server.on(DEQUEUE, scripts);
    return this;
  }

  private void emptyQueue(ScriptedServer.ReceivedRequest seen, HttpExchange exchange)
      throws java.io.IOException, InterruptedException {
    testEnd.await(5, TimeUnit.SECONDS); // as a long poll
    ScriptedServer.json(200, List.of()).answer(seen, exchange);
  }

  /** A worker with a listener and fast heartbeats, not yet started. */
  WorkerBuilder worker(TaskHandler handler) {
    return worker(TimeSource.SYSTEM, handler);
  }

  WorkerBuilder worker(TimeSource time, TaskHandler handler) {
    client = server.client(time);
    return Worker.builder(client, "resize", handler)
        .name("tester")
        .heartbeat(Duration.ofMillis(20))
        .backoff(new Backoff(Duration.ofMillis(10), 2, Duration.ofMillis(80), 0.0))
        .listener(events::add);
  }

  Worker start(WorkerBuilder builder) {
    Worker built = builder.build();
    worker = built;
    return built.start();
  }

  <T extends WorkerEvent> List<T> events(Class<T> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  <T extends WorkerEvent> T awaitEvent(Class<T> type) {
    await().atMost(LONG).until(() -> !events(type).isEmpty());
    return events(type).getFirst();
  }

  /** The last report of a completed or failed task; waits for the first. */
  JsonObject report() {
    await().atMost(LONG).until(() -> !server.seen(STATUS).isEmpty());
    return server.seen(STATUS).getLast().json();
  }

  @Override
  public void close() {
    testEnd.countDown();
    if (worker != null) {
      worker.stop(Duration.ofMillis(1));
    }
    if (client != null) {
      client.close();
    }
    server.close();
  }
}
