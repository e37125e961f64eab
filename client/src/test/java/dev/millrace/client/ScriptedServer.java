package dev.millrace.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.millrace.client.internal.transport.TimeSource;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A server on loopback that gives scripted answers and records the requests. */
public final class ScriptedServer implements AutoCloseable {

  /** A request as the server received it. */
  public record ReceivedRequest(
      String method, String path, @Nullable String query, Headers headers, String body) {
    public JsonObject json() {
      return Json.object(body);
    }

    public @Nullable String header(String name) {
      return headers.of().getFirst(name);
    }
  }

  record Headers(com.sun.net.httpserver.Headers of) {}

  /** One answer. */
  @FunctionalInterface
  public interface Script {
    void answer(ReceivedRequest seen, HttpExchange exchange)
        throws IOException, InterruptedException;
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Deque<Script>> scripts = new LinkedHashMap<>();
  private final List<ReceivedRequest> seen = new CopyOnWriteArrayList<>();

  public ScriptedServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** A client whose waits are those of {@code time}. */
  public MillraceClient client(TimeSource time) {
    return builder(time).build();
  }

  /** The builder of a client whose waits are those of {@code time}. */
  public MillraceClient.Builder builder(TimeSource time) {
    return MillraceClient.builder(uri()).timeSource(time);
  }

  /**
   * Scripts the answers to matching requests: in order, and the last one for all further requests.
   *
   * @param request a pattern for {@code METHOD path}
   */
  public ScriptedServer on(String request, Script... answers) {
    synchronized (scripts) {
      scripts.put(request, new ArrayDeque<>(Arrays.asList(answers)));
    }
    return this;
  }

  public List<ReceivedRequest> seen(String request) {
    return seen.stream().filter(one -> (one.method() + " " + one.path()).matches(request)).toList();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      ReceivedRequest one =
          new ReceivedRequest(
              exchange.getRequestMethod(),
              path,
              exchange.getRequestURI().getQuery(),
              new Headers(exchange.getRequestHeaders()),
              body);
      seen.add(one);
      next(one.method() + " " + path).answer(one, exchange);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Script next(String request) {
    synchronized (scripts) {
      for (Map.Entry<String, Deque<Script>> entry : scripts.entrySet()) {
        if (request.matches(entry.getKey())) {
          Deque<Script> left = entry.getValue();
          return left.size() > 1 ? left.removeFirst() : left.getFirst();
        }
      }
    }
    return text(599, "no script for " + request);
  }

  public static Script json(int status, Object body) {
    return text(status, Json.write(body));
  }

  public static Script text(int status, String body, String... headers) {
    return (request, exchange) -> {
      for (int i = 0; i < headers.length; i += 2) {
        exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
      }
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  /** Closes the connection without an answer. */
  public static Script lost() {
    return (request, exchange) -> {};
  }

  /** Answers after {@code signal} is counted down. */
  public static Script after(CountDownLatch signal, Script then) {
    return (request, exchange) -> {
      signal.await();
      then.answer(request, exchange);
    };
  }

  /** A stream of {@code frames}; with {@code open} it ends only when that is counted down. */
  public static Script stream(@Nullable CountDownLatch open, String... frames) {
    return (request, exchange) -> {
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      for (String frame : frames) {
        out.write(frame.getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
      if (open != null) {
        open.await();
      }
    };
  }

  static JsonObject job(UUID id) {
    return JsonObject.create()
        .put("id", id.toString())
        .put("name", "test")
        .put("data", JsonObject.create())
        .put("userMetadata", JsonObject.create())
        .put("priority", "MEDIUM")
        .put("status", "PENDING")
        .put("percentage", 0)
        .put("creationTime", "2026-01-01T00:00:00Z")
        .put("updateTime", "2026-01-01T00:00:00Z")
        .put("traceparent", "00-" + "0".repeat(32) + "-" + "0".repeat(16) + "-00");
  }

  static JsonObject stage(UUID id, String status) {
    return JsonObject.create()
        .put("id", id.toString())
        .put("jobId", new UUID(1, 1).toString())
        .put("type", "resize")
        .put("order", 1)
        .put("data", JsonObject.create())
        .put("userMetadata", JsonObject.create())
        .put("status", status)
        .put("percentage", 0)
        .put("summary", JsonObject.create());
  }

  public static JsonObject task(UUID id, Object data) {
    return JsonObject.create()
        .put("id", id.toString())
        .put("stageId", new UUID(2, 2).toString())
        .put("data", data)
        .put("userMetadata", JsonObject.create())
        .put("status", "IN_PROGRESS")
        .put("attempts", 0)
        .put("maxAttempts", 3)
        .put("creationTime", "2026-01-01T00:00:00Z")
        .put("updateTime", "2026-01-01T00:00:00Z")
        .put("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  }

  public static JsonObject claimed(UUID id) {
    return task(id, JsonObject.create().put("width", 640))
        .put("jobId", new UUID(1, 1).toString())
        .put("stageType", "resize")
        .put("stageData", JsonObject.create().put("mode", "fit"))
        .put("attempt", 1)
        .put("token", "1.7")
        .put("leaseSeconds", 60);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
