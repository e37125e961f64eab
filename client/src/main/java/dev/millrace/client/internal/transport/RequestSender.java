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
 * Sends requests and retries them. A repeatable request is retried after a network failure and
 * after a status of 502 to 504; any request is retried if it was not sent, or after a 429.
 * Thread-safe.
 */
public final class RequestSender {

  /**
   * The settings for all requests of a client.
   *
   * @param base the address of the server, without a trailing slash
   * @param key the API key; null where the server requires none
   * @param timeout the limit for one try, to the end of the answer
   * @param retries tries after the first one
   * @param agent the value of the header User-Agent
   */
  public record Settings(
      URI base,
      @Nullable String key,
      Duration timeout,
      int retries,
      Backoff backoff,
      String agent) {
    /** Without the key, which must not get into logs. */
    @Override
    public String toString() {
      return "Settings[" + base + "]";
    }
  }

  /** A longer Retry-After of the server is not waited for. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private static final int TOO_MANY_REQUESTS = 429;

  private static final CountDownLatch NEVER = new CountDownLatch(1);

  private final HttpClient http;
  private final Settings settings;
  private final TimeSource time;
  private final ClientMeters meters;

  public RequestSender(HttpClient http, Settings settings, TimeSource time, ClientMeters meters) {
    this.http = http;
    this.settings = settings;
    this.time = time;
    this.meters = meters;
  }

  /** Returns an answer with a success status; throws for any other. */
  ClientResponse send(ClientRequest request, Supplier<@Nullable TraceContext> trace) {
    ClientResponse response = exchange(request, trace.get());
    if (!response.ok()) {
      throw response.toException();
    }
    return response;
  }

  /** Returns an answer of any status, after the retries. */
  ClientResponse exchange(ClientRequest request, @Nullable TraceContext trace) {
    boolean repeated = false;
    for (int tries = 1; ; tries++) {
      Duration wait;
      try {
        ClientResponse response = sendOnce(request, trace, repeated);
        if (tries > settings.retries() || !isRetryable(request, response.status())) {
          return response;
        }
        Duration retryAfter = response.retryAfter();
        if (retryAfter != null && retryAfter.compareTo(LONGEST_WAIT) > 0) {
          return response;
        }
        wait = longer(pause(tries), retryAfter);
        repeated |= response.status() != TOO_MANY_REQUESTS;
        meters.retried("HTTP_" + response.status());
      } catch (NetworkException e) {
        boolean allowed = e.isUnsent() || request.isRepeatable();
        if (tries > settings.retries() || !allowed || !e.isTransient()) {
          throw e;
        }
        wait = pause(tries);
        repeated |= !e.isUnsent();
        meters.retried(e.code());
      }
      sleep(request, wait);
    }
  }

  private static boolean isRetryable(ClientRequest request, int status) {
    return switch (status) {
      case TOO_MANY_REQUESTS -> true;
      case 502, 503, 504, 507 -> request.isRepeatable();
      default -> false;
    };
  }

  private Duration pause(int tries) {
    return settings.backoff().delay(tries, time.random());
  }

  private static Duration longer(Duration one, @Nullable Duration other) {
    return other != null && other.compareTo(one) > 0 ? other : one;
  }

  private void sleep(ClientRequest request, Duration wait) {
    try {
      time.await(NEVER, wait);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw NetworkException.of(request.toString(), e);
    }
  }

  private ClientResponse sendOnce(
      ClientRequest request, @Nullable TraceContext trace, boolean repeated) {
    long start = time.nanos();
    int status = 0;
    try {
      HttpResponse<String> answer =
          await(
              request,
              start(request, trace, BodyHandlers.ofString(StandardCharsets.UTF_8)),
              request.timeout(settings.timeout()));
      status = answer.statusCode();
      return new ClientResponse(status, answer.headers(), answer.body(), repeated);
    } finally {
      meters.requested(request, status, Duration.ofNanos(time.nanos() - start));
    }
  }

  /** Waits for the whole answer; the timeout of the JDK covers only the headers. */
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

  /** Starts one try; the caller cancels the future if it no longer needs the answer. */
  <T> CompletableFuture<HttpResponse<T>> start(
      ClientRequest request, @Nullable TraceContext trace, BodyHandler<T> reader) {
    return http.sendAsync(build(request, trace), reader);
  }

  private HttpRequest build(ClientRequest request, @Nullable TraceContext trace) {
    HttpRequest.Builder out =
        HttpRequest.newBuilder(URI.create(settings.base() + request.target()))
            .header("User-Agent", settings.agent())
            .header("Millrace-Extensions", "true");
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
