package dev.millrace.http.live;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a stream of events, one after the other. */
final class EventReader implements AutoCloseable {
  final HttpResponse<Stream<String>> response;
  private final Iterator<String> lines;

  record Event(String name, @Nullable String id, JsonObject data) {}

  EventReader(HttpResponse<Stream<String>> response) {
    this.response = response;
    this.lines = response.body().iterator();
    if (response.statusCode() != 200) {
      throw new IllegalStateException(
          response + ": " + String.join("\n", (Iterable<String>) () -> lines));
    }
  }

  /** Waits for the next event; null at the end of the stream. */
  @Nullable Event next() {
    String name = "message";
    String id = null;
    JsonObject data = null;
    while (lines.hasNext()) {
      String line = lines.next();
      if (line.startsWith("event: ")) {
        name = line.substring(7);
      } else if (line.startsWith("id: ")) {
        id = line.substring(4);
      } else if (line.startsWith("data: ")) {
        data = Json.object(line.substring(6));
      } else if (line.isEmpty() && data != null) {
        return new Event(name, id, data);
      }
    }
    return null;
  }

  Event require() {
    Event event = next();
    if (event == null) {
      throw new NoSuchElementException("the stream has ended");
    }
    return event;
  }

  /** The first event that has what is wanted. */
  JsonObject await(Predicate<JsonObject> wanted) {
    JsonObject data = require().data();
    while (!wanted.test(data)) {
      data = require().data();
    }
    return data;
  }

  @Override
  public void close() {
    response.body().close();
  }
}
