package dev.millrace.client.internal.transport;

import dev.millrace.api.SseEvent;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Parses server-sent events line by line, as the HTML standard defines them (section 9.2). */
public final class SseParser {
  private @Nullable String lastId;
  private @Nullable Duration retry;
  private String event = "";
  private final StringBuilder data = new StringBuilder();
  private boolean hasData;

  /** The event that {@code line} completes, or null. */
  public @Nullable SseEvent accept(String line) {
    if (line.isEmpty()) {
      return dispatch();
    }
    int colon = line.indexOf(':');
    if (colon == 0) {
      return null; // a comment, sent to keep the connection alive
    }
    String field = colon < 0 ? line : line.substring(0, colon);
    String value = colon < 0 ? "" : line.substring(colon + 1);
    setField(field, value.startsWith(" ") ? value.substring(1) : value);
    return null;
  }

  private void setField(String field, String value) {
    switch (field) {
      case "event" -> event = value;
      case "data" -> {
        data.append(hasData ? "\n" : "").append(value);
        hasData = true;
      }
      case "id" -> {
        if (value.indexOf('\0') < 0) {
          lastId = value;
        }
      }
      case "retry" -> {
        if (value.matches("\\d{1,9}")) {
          retry = Duration.ofMillis(Long.parseLong(value));
        }
      }
      default -> {} // the standard ignores other fields
    }
  }

  private @Nullable SseEvent dispatch() {
    SseEvent out =
        hasData ? new SseEvent(lastId, event.isEmpty() ? "message" : event, data.toString()) : null;
    discardPartial();
    return out;
  }

  /** Drops an incomplete event, after the connection broke. */
  public void discardPartial() {
    event = "";
    data.setLength(0);
    hasData = false;
  }

  /** How long to wait before a reconnect, if the server has said so. */
  public @Nullable Duration retry() {
    return retry;
  }
}
