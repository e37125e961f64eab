package dev.millrace.http.openai.response;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.StoreException;
import dev.millrace.http.openai.response.store.ResponseReplay.OutputChanged;
import dev.millrace.http.openai.response.store.ResponseReplay.ResponseDeleted;
import dev.millrace.http.openai.response.stream.ResponseEvent;
import dev.millrace.http.stream.EventStream;
import dev.millrace.http.transport.ClientGoneException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;

/**
 * Writes events of a response, those after a sequence number only. It collects them until {@link
 * #flush}, but never many. Not thread-safe.
 */
final class EventWriter {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int MAX_COLLECTED = 64 << 10;
  private static final String STOPPED =
      "the server ended this stream: it is stopping, or the key was revoked; try again later";

  private final EventStream events;
  private final long after;
  private final ByteArrayOutputStream collected = new ByteArrayOutputStream();
  private long next; // the number of the next event

  /** Makes the events of a response, to their end. */
  @FunctionalInterface
  interface Source {
    void run() throws IOException, InterruptedException;
  }

  /**
   * @param after the number of the last event that the client has; -1: none
   */
  EventWriter(EventStream events, long after) {
    this.events = events;
    this.after = after;
  }

  /**
   * Writes a whole stream. What breaks it is its last event: a client must not take what it got for
   * the whole response.
   *
   * @param response its id, for the log
   */
  void writeAll(Source source, String response) throws IOException, InterruptedException {
    try {
      source.run();
      write("data: [DONE]\n\n");
      flush();
    } catch (ClientGoneException e) {
      throw e;
    } catch (InterruptedException e) {
      error(STOPPED);
      throw e;
    } catch (StoreException.Closed e) {
      error(STOPPED);
    } catch (OutputChanged | ResponseDeleted e) {
      error(String.valueOf(e.getMessage()));
    } catch (StoreException e) {
      Level level = e.trouble() == null ? Level.WARNING : Level.DEBUG; // else the store says it
      LOG.log(level, "the stream of " + response + " ends early: " + e.getMessage(), e);
      error("the store is not available right now; try again later");
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "the stream of " + response + " failed", e);
      error("internal error; see the server's log for this response");
    }
  }

  void add(ResponseEvent event) {
    next = event.sequence() + 1;
    if (event.sequence() > after) {
      write("event: " + event.type() + "\ndata: " + Json.write(event.data()) + "\n\n");
    }
  }

  /** The stream ends here, but not as its events would. */
  private void error(String message) throws IOException {
    JsonObject error =
        JsonObject.create()
            .put("type", "server_error")
            .put("code", "server_error")
            .put("message", message)
            .put("param", null);
    JsonObject event = JsonObject.create().put("type", "error").put("sequence_number", next);
    error.values().forEach(event.values()::putIfAbsent); // some clients read it flat, some nested
    event.put("error", error);
    write("event: error\ndata: " + Json.write(event) + "\n\n");
    flush();
  }

  private void write(String text) {
    collected.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    if (collected.size() >= MAX_COLLECTED) {
      try {
        flush();
      } catch (IOException e) {
        throw e.getCause() instanceof ClientGoneException gone
            ? gone
            : new ClientGoneException(false, e);
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
