package dev.millrace.client;

import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientMeters;
import dev.millrace.client.internal.transport.RequestSender;
import dev.millrace.client.internal.transport.TimeSource;
import dev.millrace.client.internal.transport.TransportAccess;
import dev.millrace.core.task.TraceContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A server's API: a typed method for every path. What may be repeated is tried again when the
 * server is away for a moment; creations carry a key, so that one whose answer was lost is not made
 * twice. An interrupt cancels the request. Thread-safe; connections are kept and shared.
 */
public final class MillraceClient implements AutoCloseable {
  static {
    TransportAccess.register(client -> ((MillraceClient) client).transport);
  }

  private final @Nullable HttpClient owned;
  private final ApiTransport transport;
  private final URI base;

  private MillraceClient(@Nullable HttpClient owned, ApiTransport channel, URI base) {
    this.owned = owned;
    this.transport = channel;
    this.base = base;
  }

  /** A client with the usual settings and no key. */
  public static MillraceClient at(URI base) {
    return builder(base).build();
  }

  public static Builder builder(URI base) {
    return new Builder(base);
  }

  /** Jobs, stage by stage or as whole pipelines. */
  public JobsApi jobs() {
    return new JobsApi(transport);
  }

  /** Stages, their tasks, and the claims of workers. */
  public StagesApi stages() {
    return new StagesApi(transport);
  }

  /** Tasks and what their workers say of them. */
  public TasksApi tasks() {
    return new TasksApi(transport);
  }

  /** Jobs in so1's words, their logs and events. */
  public So1Api so1() {
    return new So1Api(transport);
  }

  /** Health, metrics and the API's document. */
  public HealthApi health() {
    return new HealthApi(transport);
  }

  public URI base() {
    return base;
  }

  /** The same connections, with requests that belong to {@code trace}. Needs no closing. */
  public MillraceClient withTrace(@Nullable TraceContext trace) {
    return new MillraceClient(null, transport.withTrace(() -> trace), base);
  }

  /** Lets go of the connections; what is under way is cancelled. */
  @Override
  public void close() {
    if (owned != null) {
      owned.shutdownNow();
      owned.close();
    }
  }

  /** What a client can be told; the rest has defaults. */
  public static final class Builder {
    private final URI base;
    private @Nullable String key;
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration requestTimeout = Duration.ofSeconds(30);
    private RetryPolicy retries = RetryPolicy.DEFAULT;
    private @Nullable Executor executor;
    private @Nullable SSLContext tls;
    private Supplier<@Nullable TraceContext> trace = () -> null;
    private ClientMeters meters = ClientMeters.NONE;
    private TimeSource timing = TimeSource.SYSTEM;

    private Builder(URI base) {
      boolean http = "http".equals(base.getScheme()) || "https".equals(base.getScheme());
      if (!http
          || base.getHost() == null
          || base.getQuery() != null
          || base.getUserInfo() != null) {
        throw new IllegalArgumentException(
            "the server's address must be http://HOST:PORT or https://HOST:PORT, with a path at"
                + " most, not \""
                + base
                + "\"");
      }
      String text = base.toString();
      this.base = URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
    }

    /** The key that the server asks for. */
    public Builder key(@Nullable String value) {
      if (value != null && !value.chars().allMatch(c -> c > 32 && c < 127)) {
        throw new IllegalArgumentException("a key has no spaces and only printable characters");
      }
      key = value;
      return this;
    }

    public Builder connectTimeout(Duration value) {
      connectTimeout = value;
      return this;
    }

    /**
     * How long one try may take to the end of its answer; where the server is asked to wait, that
     * comes on top.
     */
    public Builder requestTimeout(Duration value) {
      requestTimeout = value;
      return this;
    }

    public Builder retries(RetryPolicy value) {
      retries = value;
      return this;
    }

    /** What the HTTP client's own tasks run on. */
    public Builder executor(Executor value) {
      executor = value;
      return this;
    }

    /** Whom to trust, where that is not what the JDK does. */
    public Builder tls(SSLContext value) {
      tls = value;
      return this;
    }

    /** Which trace a request belongs to; asked on the thread that makes it. */
    public Builder trace(Supplier<@Nullable TraceContext> value) {
      trace = value;
      return this;
    }

    public Builder metrics(SdkMetrics value) {
      meters = value.meters();
      return this;
    }

    /** For tests. */
    Builder timeSource(TimeSource value) {
      timing = value;
      return this;
    }

    public MillraceClient build() {
      HttpClient.Builder http =
          HttpClient.newBuilder()
              .connectTimeout(connectTimeout)
              .followRedirects(HttpClient.Redirect.NEVER)
              // Over plain HTTP/2 begins with an upgrade that proxies and bodies do not survive.
              .version(
                  base.getScheme().equals("https")
                      ? HttpClient.Version.HTTP_2
                      : HttpClient.Version.HTTP_1_1);
      if (executor != null) {
        http.executor(executor);
      }
      if (tls != null) {
        http.sslContext(tls);
      }
      HttpClient client = http.build();
      RequestSender.Settings settings =
          new RequestSender.Settings(
              base,
              key,
              requestTimeout,
              retries.retries(),
              retries.backoff(),
              "millrace-client");
      RequestSender sender = new RequestSender(client, settings, timing, meters);
      return new MillraceClient(client, new ApiTransport(sender, trace, timing, meters), base);
    }
  }
}
