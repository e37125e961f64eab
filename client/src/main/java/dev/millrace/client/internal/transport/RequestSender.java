package dev.millrace.client.internal.transport;

import dev.millrace.client.error.NetworkException;
import dev.millrace.core.json.Json;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TraceContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests, and sends again those that may be repeated. What could not be sent at all, and what
 * the server put off (429), may be repeated whatever it is. Thread-safe.
 */
public final class RequestSender {

  /**
   * What every request has.
   *
   * @param base without a slash at its end
   * @param key what to show as a bearer; null where the server asks for none
   * @param timeout of one try, from its start to the end of the answer
   */
  public record Settings(
      URI base,
      @Nullable String key,
      Duration timeout,
      int retries,
      Backoff backoff,
      String agent) {
    /** Keys stay out of logs. */
    @Override
    public String toString() {
      return "Settings[" + base + "]";
    }
  }

  /** Longer than this nobody waits because a server says so. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private static final CountDownLatch NEVER = new CountDownLatch(1);

  private final HttpClient http;
  private final Settings settings;
  private final TimeSource timing;
  private final ClientMeters meters;

  public RequestSender(HttpClient http, Settings settings, TimeSource timing, ClientMeters meters) {
    this.http = http;
    this.settings = settings;
    this.timing = timing;
    this.meters = meters;
  }

  /** An answer with a status of success; else an exception. */
  ClientResponse send(ClientRequest request, Supplier<@Nullable TraceContext> trace) {
    ClientResponse response = exchange(request, trace.get());
    if (!response.ok()) {
      throw response.toException();
    }
    return response;
  }

  /** An answer of any status that no further try could mend. */
  ClientResponse exchange(ClientRequest request, @Nullable TraceContext trace) {
    for (int tries = 1; ; tries++) {
      Duration wait;
      try {
        ClientResponse response = once(request, trace, tries);
        if (tries > settings.retries() || !worthAnother(request, response.status())) {
          return response;
        }
        Duration asked = response.retryAfter();
        if (asked != null && asked.compareTo(LONGEST_WAIT) > 0) {
          return response;
        }
        wait = longer(pause(tries), asked);
        meters.retried("HTTP_" + response.status());
      } catch (NetworkException e) {
        boolean allowed = e.isUnsent() || request.isRepeatable();
        if (tries > settings.retries() || !allowed || !e.isTransient()) {
          throw e;
        }
        wait = pause(tries);
        meters.retried(e.code());
      }
      rest(request, wait);
    }
  }

  private static boolean worthAnother(ClientRequest request, int status) {
    return switch (status) {
      case 429 -> true;
      case 502, 503, 504 -> request.isRepeatable();
      default -> false;
    };
  }

  private Duration pause(int tries) {
    return settings.backoff().delay(tries, timing.random());
  }

  private static Duration longer(Duration one, @Nullable Duration other) {
    return other != null && other.compareTo(one) > 0 ? other : one;
  }

  private void rest(ClientRequest request, Duration wait) {
    try {
      timing.await(NEVER, wait);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw NetworkException.of(request.toString(), e);
    }
  }

  private ClientResponse once(ClientRequest request, @Nullable TraceContext trace, int tries) {
    long start = timing.nanos();
    int status = 0;
    try {
      HttpResponse<String> answer =
          await(
              request,
              start(request, trace, BodyHandlers.ofString(StandardCharsets.UTF_8)),
              request.timeout(settings.timeout()));
      status = answer.statusCode();
      return new ClientResponse(status, answer.headers(), answer.body(), tries);
    } finally {
      meters.requested(request, status, Duration.ofNanos(timing.nanos() - start));
    }
  }

  /** Waits for the whole answer; a timeout of the JDK's own would end with its head. */
  private <T> T await(ClientRequest request, CompletableFuture<T> answer, Duration limit) {
    try {
      return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw NetworkException.of(request.toString(), e);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw networkException(request, new HttpTimeoutException("no answer in " + limit));
    } catch (ExecutionException e) {
      throw networkException(request, e.getCause() == null ? e : e.getCause());
    }
  }

  NetworkException networkException(ClientRequest request, Throwable cause) {
    return NetworkException.of(request + " at " + settings.base(), cause);
  }

  /** One try, under way; whoever has no more use for it cancels it. */
  <T> CompletableFuture<HttpResponse<T>> start(
      ClientRequest request, @Nullable TraceContext trace, BodyHandler<T> reader) {
    return http.sendAsync(build(request, trace), reader);
  }

  private HttpRequest build(ClientRequest request, @Nullable TraceContext trace) {
    HttpRequest.Builder out =
        HttpRequest.newBuilder(URI.create(settings.base() + request.target()))
            .header("User-Agent", settings.agent());
    if (request.hasBody()) {
      out.header("Content-Type", "application/json")
          .method(
              request.method(),
              BodyPublishers.ofString(Json.write(request.body()), StandardCharsets.UTF_8));
    } else {
      out.method(request.method(), BodyPublishers.noBody());
    }
    if (settings.key() != null) {
      out.header("Authorization", "Bearer " + settings.key());
    }
    if (trace != null) {
      out.header("traceparent", trace.parent());
      if (trace.state() != null && !trace.state().isEmpty()) {
        out.header("tracestate", trace.state());
      }
    }
    request.headers().forEach(out::setHeader);
    return out.build();
  }
}
