package dev.millrace.client;

import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientMeters;
import dev.millrace.client.internal.transport.RequestSender;
import dev.millrace.client.internal.transport.TimeSource;
import dev.millrace.client.internal.transport.TransportAccess;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.task.TraceContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The client of a Millrace server, with a typed method for every path of its HTTP API. Repeatable
 * requests are retried when the server does not answer. Requests that create jobs carry an
 * idempotency key, so a retry does not create a second job. An interrupt cancels the request.
 * Thread-safe; connections are pooled.
 */
public final class MillraceClient implements AutoCloseable {
  static {
    TransportAccess.register(client -> ((MillraceClient) client).transport);
  }

  private final @Nullable HttpClient owned;
  private final ApiTransport transport;
  private final URI base;

  private MillraceClient(@Nullable HttpClient owned, ApiTransport transport, URI base) {
    this.owned = owned;
    this.transport = transport;
    this.base = base;
  }

  /** A client with default settings and no API key. */
  public static MillraceClient at(URI base) {
    return builder(base).build();
  }

  public static Builder builder(URI base) {
    return new Builder(base);
  }

  /** Jobs, built stage by stage or submitted as a whole. */
  public JobsApi jobs() {
    return new JobsApi(transport);
  }

  /** Stages, their tasks, and the claims of workers. */
  public StagesApi stages() {
    return new StagesApi(transport);
  }

  /** Tasks, and the reports of their workers. */
  public TasksApi tasks() {
    return new TasksApi(transport);
  }

  /** Finding jobs among many, and changing them. */
  public SearchApi search() {
    return new SearchApi(transport);
  }

  /** Logs of jobs, the state machines, and what the key may do. */
  public InspectionApi inspection() {
    return new InspectionApi(transport);
  }

  /** Jobs in the so1 API, their logs and events. */
  public So1Api so1() {
    return new So1Api(transport);
  }

  /** What the server does now. */
  public LiveApi live() {
    return new LiveApi(transport);
  }

  /** Health, metrics and the OpenAPI document. */
  public MonitoringApi monitoring() {
    return new MonitoringApi(transport);
  }

  /** Levers as data: what {@link JobsApi} and {@link StagesApi} do, in the words of core. */
  public JobControls controls() {
    return new RemoteControls(transport);
  }

  public URI base() {
    return base;
  }

  /** A client on the same connections whose requests belong to {@code trace}; not to be closed. */
  public MillraceClient withTrace(@Nullable TraceContext trace) {
    return new MillraceClient(null, transport.withTrace(() -> trace), base);
  }

  /** Closes the connections and cancels requests that are under way. */
  @Override
  public void close() {
    if (owned != null) {
      owned.shutdownNow();
      owned.close();
    }
  }

  /** The settings of a client; all have defaults. */
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
            "the server's address must be http://HOST:PORT or https://HOST:PORT, optionally"
                + " with a path, got \""
                + base
                + "\"");
      }
      String text = base.toString();
      this.base = URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
    }

    /** The API key, where the server requires one. */
    public Builder key(@Nullable String value) {
      if (value != null && !value.chars().allMatch(c -> c > 32 && c < 127)) {
        throw new IllegalArgumentException(
            "an API key must have printable ASCII characters only, and no spaces");
      }
      key = value;
      return this;
    }

    public Builder connectTimeout(Duration value) {
      connectTimeout = value;
      return this;
    }

    /**
     * How long one try may take, to the end of the answer. The wait of a long poll comes on top.
     */
    public Builder requestTimeout(Duration value) {
      requestTimeout = value;
      return this;
    }

    public Builder retries(RetryPolicy value) {
      retries = value;
      return this;
    }

    /** Runs the internal tasks of the HTTP client. */
    public Builder executor(Executor value) {
      executor = value;
      return this;
    }

    /** The certificates to trust and to present; the defaults of the JDK if not set. */
    public Builder tls(SSLContext value) {
      tls = value;
      return this;
    }

    /** The trace of each request; called on the thread that sends it. */
    public Builder trace(Supplier<@Nullable TraceContext> value) {
      trace = value;
      return this;
    }

    public Builder metrics(ClientMetrics value) {
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
              // Without TLS, HTTP/2 starts with an upgrade that proxies and bodies do not survive.
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
              base, key, requestTimeout, retries.retries(), retries.backoff(), "millrace-client");
      RequestSender sender = new RequestSender(client, settings, timing, meters);
      return new MillraceClient(client, new ApiTransport(sender, trace, timing, meters), base);
    }
  }
}
