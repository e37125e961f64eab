package dev.millrace.cli.process;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A client of the HTTP API that uses none of our code. */
final class PlainHttpClient implements AutoCloseable {
  private final HttpClient http;
  private final URI base;
  private final @Nullable String key;

  private PlainHttpClient(HttpClient http, URI base, @Nullable String key) {
    this.http = http;
    this.base = base;
    this.key = key;
  }

  static PlainHttpClient of(URI base) {
    return new PlainHttpClient(HttpClient.newHttpClient(), base, null);
  }

  static PlainHttpClient trusting(URI base, SSLContext tls) {
    return new PlainHttpClient(HttpClient.newBuilder().sslContext(tls).build(), base, null);
  }

  PlainHttpClient withKey(@Nullable String newKey) {
    return new PlainHttpClient(http, base, newKey);
  }

  /** A complete response. */
  record Reply(int status, HttpHeaders headers, String body) {
    JsonObject json() {
      return Json.object(body);
    }

    /** The object in which so1 wraps a job. */
    JsonObject job() {
      return json().object("job");
    }
  }

  Reply get(String path) {
    return send("GET", path, null);
  }

  /**
   * @param headers names and values in turn
   */
  Reply send(String method, String path, @Nullable String body, String... headers) {
    try {
      HttpResponse<String> response =
          http.send(request(method, path, body, headers).build(), BodyHandlers.ofString());
      return new Reply(response.statusCode(), response.headers(), response.body());
    } catch (IOException e) {
      return new Reply(0, HttpHeaders.of(java.util.Map.of(), (_, _) -> true), e.toString());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private HttpRequest.Builder request(
      String method, String path, @Nullable String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve(path))
            .version(HttpClient.Version.HTTP_1_1)
            .timeout(Duration.ofSeconds(60))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    if (key != null) {
      request.header("Authorization", "Bearer " + key);
    }
    return headers.length == 0 ? request : request.headers(headers);
  }

  /** Follows a job's events; with a cursor, the events after it. */
  EventFollower follow(String job, @Nullable String cursor) {
    String[] headers = cursor == null ? new String[0] : new String[] {"Last-Event-ID", cursor};
    return new EventFollower(request("GET", "/api/jobs/" + job + "/events", null, headers).build());
  }

  /** An event of a stream. */
  record Event(String id, String name, JsonObject data) {}

  /** A stream of events that is read as it arrives. */
  final class EventFollower {
    final List<Event> events = new CopyOnWriteArrayList<>();
    private final Thread thread;

    private EventFollower(HttpRequest request) {
      thread = Thread.startVirtualThread(() -> read(request));
    }

    private void read(HttpRequest request) {
      try (Stream<String> lines = http.send(request, BodyHandlers.ofLines()).body()) {
        List<String> event = new ArrayList<>();
        lines.forEach(
            line -> {
              if (!line.isEmpty()) {
                event.add(line);
                return;
              }
              String id = field(event, "id");
              if (id != null) {
                String data = String.valueOf(field(event, "data"));
                events.add(new Event(id, String.valueOf(field(event, "event")), Json.object(data)));
              }
              event.clear();
            });
      } catch (IOException | java.io.UncheckedIOException e) {
        // the server is gone: keep what was read
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private static @Nullable String field(List<String> event, String name) {
      for (String line : event) {
        if (line.startsWith(name + ":")) {
          return line.substring(name.length() + 1).strip();
        }
      }
      return null;
    }

    boolean ended() {
      return !thread.isAlive();
    }

    List<Integer> ids() {
      return events.stream().map(event -> Integer.valueOf(event.id())).toList();
    }

    Event last() {
      return events.getLast();
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
