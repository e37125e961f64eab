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

/** A scripted server and the worker under test, with words for what tests want of them. */
final class WorkerFixture implements AutoCloseable {
  static final UUID TASK = new UUID(3, 3);
  static final String DEQUEUE = "PATCH /v1/stages/resize/tasks/dequeue";
  static final String STATUS = "PUT /v1/tasks/.*/status";
  static final String HEARTBEAT = "PUT /v1/tasks/.*/heartbeat";
  static final String RELEASE = "PUT /v1/tasks/.*/release";
  static final String LOGS = "POST /v1/tasks/.*/logs";
  static final Duration LONG = Duration.ofSeconds(30);

  final ScriptedServer api = new ScriptedServer();
  final List<WorkerEvent> events = new CopyOnWriteArrayList<>();

  /** Polls wait for this once there is nothing left to hand out. */
  final CountDownLatch over = new CountDownLatch(1);

  private @Nullable MillraceClient client;
  private @Nullable Worker worker;

  WorkerFixture() {
    api.on(STATUS, ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create())));
    api.on(RELEASE, ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create())));
    api.on(LOGS, ScriptedServer.json(200, JsonObject.create()));
    api.on(HEARTBEAT, beat(false, false));
    queue(1);
  }

  static Script beat(boolean cancel, boolean pause) {
    return ScriptedServer.json(
        200, JsonObject.create().put("cancel", cancel).put("pause", pause).put("leaseSeconds", 60));
  }

  /** Hands out that many tasks one by one, then nothing. */
  WorkerFixture queue(int tasks) {
    Script[] scripts = new Script[tasks + 1];
    Arrays.fill(scripts, 0, tasks, ScriptedServer.json(200, List.of(ScriptedServer.claimed(TASK))));
    scripts[tasks] = this::nothing;
    api.on(DEQUEUE, scripts);
    return this;
  }

  private void nothing(ScriptedServer.ReceivedRequest seen, HttpExchange exchange)
      throws java.io.IOException, InterruptedException {
    over.await(5, TimeUnit.SECONDS); // as a server that is asked to wait for work
    ScriptedServer.json(200, List.of()).answer(seen, exchange);
  }

  /** Not yet started; listens and beats fast. */
  WorkerBuilder worker(TaskHandler handler) {
    return worker(TimeSource.SYSTEM, handler);
  }

  WorkerBuilder worker(TimeSource timing, TaskHandler handler) {
    client = api.client(timing);
    return Worker.builder(client, "resize", handler)
        .name("tester")
        .heartbeat(Duration.ofMillis(20))
        .backoff(new Backoff(Duration.ofMillis(10), 2, Duration.ofMillis(80), 0.0))
        .listener(events::add);
  }

  Worker start(WorkerBuilder builder) {
    Worker made = builder.build();
    worker = made;
    return made.start();
  }

  <T extends WorkerEvent> List<T> told(Class<T> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  <T extends WorkerEvent> T awaitTold(Class<T> type) {
    await().atMost(LONG).until(() -> !told(type).isEmpty());
    return told(type).getFirst();
  }

  JsonObject answer() {
    await().atMost(LONG).until(() -> !api.seen(STATUS).isEmpty());
    return api.seen(STATUS).getLast().json();
  }

  @Override
  public void close() {
    over.countDown();
    if (worker != null) {
      worker.stop(Duration.ofMillis(1));
    }
    if (client != null) {
      client.close();
    }
    api.close();
  }
}
