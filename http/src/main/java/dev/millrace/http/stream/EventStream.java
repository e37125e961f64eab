package dev.millrace.http.stream;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.ApiResponse.Sink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends server-sent events to one client. Each call is sent at once. Used by one thread.
 *
 * @param sink throws an IOException if the client disconnected or does not read
 */
public record EventStream(Sink sink) {
  /** After so much silence, a stream sends a keep-alive. */
  public static final Duration KEEP_ALIVE_INTERVAL = Duration.ofSeconds(10);

  private static final String MEDIA_TYPE = "text/event-stream";

  /** Tells proxies not to collect events. */
  private static final Map<String, String> HEADERS = Map.of("X-Accel-Buffering", "no");

  private static final byte[] KEEP_ALIVE = ": keep-alive\n\n".getBytes(StandardCharsets.UTF_8);

  /** Writes the events of one response. */
  @FunctionalInterface
  public interface Source {
    /** Runs on the request's own virtual thread; it is interrupted when the server stops. */
    void write(EventStream events) throws IOException, InterruptedException;
  }

  /**
   * A response of events.
   *
   * @param undelivered releases what the source holds, if it is not sent to its end; null: nothing
   */
  public static ApiResponse response(Source source, @Nullable Runnable undelivered) {
    return new ApiResponse.Stream(
        200, HEADERS, MEDIA_TYPE, sink -> source.write(new EventStream(sink)), undelivered);
  }

  /** Sends an event without a name. */
  public void data(JsonObject data) throws IOException {
    data(Json.write(data));
  }

  /**
   * Sends an event without a name.
   *
   * @param line without line breaks
   */
  public void data(String line) throws IOException {
    send("data: " + line);
  }

  /**
   * Sends an event with a name.
   *
   * @param id where a client that connects again resumes; null: it resumes where it was
   */
  public void event(String name, @Nullable String id, JsonObject data) throws IOException {
    send((id == null ? "" : "id: " + id + "\n") + "event: " + name + "\ndata: " + Json.write(data));
  }

  /** As the other method: a client that connects again resumes where it was. */
  public void event(String name, JsonObject data) throws IOException {
    event(name, null, data);
  }

  /** Says how long a client should wait before it connects again. */
  public void retryAfter(Duration pause) throws IOException {
    send("retry: " + pause.toMillis());
  }

  /**
   * Sends a comment, which clients ignore.
   *
   * @param line without line breaks
   */
  public void comment(String line) throws IOException {
    send(": " + line);
  }

  private void send(String block) throws IOException {
    sink.send((block + "\n\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Sends a comment, which clients ignore: the connection is used, and a lost client is noticed. */
  public void keepAlive() throws IOException {
    sink.send(KEEP_ALIVE);
  }
}
