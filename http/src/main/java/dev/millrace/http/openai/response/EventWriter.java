package dev.millrace.http.openai.response;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.response.stream.ResponseEvent;
import dev.millrace.http.stream.EventStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Writes events of a response, those after a sequence number only. It collects them until {@link
 * #flush}, but never many. Not thread-safe.
 */
final class EventWriter {
  private static final int MAX_COLLECTED = 64 << 10;

  private final EventStream events;
  private final long after;
  private final ByteArrayOutputStream collected = new ByteArrayOutputStream();

  /**
   * @param after the number of the last event that the client has; -1: none
   */
  EventWriter(EventStream events, long after) {
    this.events = events;
    this.after = after;
  }

  void add(ResponseEvent event) {
    if (event.sequence() > after) {
      write("event: " + event.type() + "\ndata: " + Json.write(event.data()) + "\n\n");
    }
  }

  /** The stream ends here, but not as its events would. */
  void error(String message) throws IOException {
    JsonObject error =
        JsonObject.create()
            .put("type", "server_error")
            .put("code", "server_error")
            .put("message", message)
            .put("param", null);
    JsonObject event = JsonObject.create();
    event.values().putAll(error.values()); // some clients read it flat, some nested
    event.put("type", "error").put("error", error);
    write("event: error\ndata: " + Json.write(event) + "\n\n");
    flush();
  }

  void end() throws IOException {
    write("data: [DONE]\n\n");
    flush();
  }

  private void write(String text) {
    collected.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    if (collected.size() >= MAX_COLLECTED) {
      try {
        flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Sends what was collected. */
  void flush() throws IOException {
    if (collected.size() > 0) {
      byte[] bytes = collected.toByteArray();
      collected.reset();
      events.sink().send(bytes);
    }
  }
}
