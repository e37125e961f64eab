package dev.millrace.http.transport;

import dev.millrace.http.limits.HttpLimits;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.task.InterruptableTask;
import io.helidon.http.HeaderNames;
import io.helidon.http.HttpPrologue;
import io.helidon.http.WritableHeaders;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.http1.spi.Http1Upgrader;
import io.helidon.webserver.http2.Http2Config;
import io.helidon.webserver.http2.Http2ConnectionSelector;
import io.helidon.webserver.http2.Http2Upgrader;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects the HTTP version of a connection: HTTP/2 if it starts with the preface or is upgraded,
 * else HTTP/1, so that even a malformed request gets a response. Both are read through our own
 * readers.
 */
public final class ProtocolSelector implements ServerConnectionSelector {
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /** Helidon accepts headers this many times larger than we do: we refuse only their stream. */
  private static final int HEADER_FACTOR = 4;

  private final OpenConnections connections;
  private final StallWatcher stalls;
  private final HttpLimits limits;
  private final ServerConnectionSelector http1;
  private final ServerConnectionSelector http2;

  public ProtocolSelector(OpenConnections connections, StallWatcher stalls, HttpLimits limits) {
    this.connections = connections;
    this.stalls = stalls;
    this.limits = limits;
    Http2Config config = http2(limits);
    this.http1 =
        Http1ConnectionSelector.builder()
            .config(http1(limits))
            .addUpgrader(new Upgrade(Http2Upgrader.create(config)))
            .build();
    this.http2 = Http2ConnectionSelector.builder().http2Config(config).build();
  }

  private static Http1Config http1(HttpLimits limits) {
    return Http1Config.builder()
        .addReceiveListener(new Http1HeadListener())
        .maxHeadersSize(limits.sizes().maxHeaders())
        .maxPrologueLength(Http1RequestReader.MAX_LINE)
        .continueImmediately(false)
        .validatePath(false) // RequestLine and RequestPath do it
        .validatePrologue(false) // likewise; it would refuse queries such as include[]=x
        .validateRequestHeaders(true)
        .validateResponseHeaders(true)
        .build();
  }

  private static Http2Config http2(HttpLimits limits) {
    return Http2Config.builder()
        .maxHeaderListSize((long) HEADER_FACTOR * limits.sizes().maxHeaders())
        .validatePath(false) // a failure would close the connection
        .build();
  }

  @Override
  public int bytesToIdentifyConnection() {
    return 0;
  }

  @Override
  public Support supports(BufferData data) {
    return Support.SUPPORTED;
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return Set.of("h2", "http/1.1");
  }

  @Override
  public ServerConnection connection(ConnectionContext context) {
    RequestHeadTimer timer =
        new RequestHeadTimer(context, connections, stalls, limits.timeouts().request().toNanos());
    DataReader in = context.dataReader();
    try {
      if (beginsWithPreface(in, timer)) {
        return new TimedConnection(http2.connection(frames(context, timer)), timer);
      }
      Http1RequestReader reader = new Http1RequestReader(in, timer, limits.sizes().maxBulkBody());
      return new TimedConnection(
          http1.connection(new InterceptedConnectionContext(context, reader)), timer);
    } catch (DataReader.InsufficientDataAvailableException e) {
      timer.close();
      throw new CloseConnectionException("closed before a request arrived", e);
    } catch (RuntimeException e) {
      timer.close();
      throw e;
    }
  }

  /** Reads no further than the first byte that differs. */
  private static boolean beginsWithPreface(DataReader in, RequestHeadTimer timer) {
    in.ensureAvailable();
    timer.start();
    for (int i = 0; i < PREFACE.length; i++) {
      if (in.getBuffer(i + 1).get(i) != PREFACE[i]) {
        return false;
      }
    }
    timer.stop();
    return true;
  }

  private InterceptedConnectionContext frames(ConnectionContext context, RequestHeadTimer timer) {
    ConnectionAddresses addresses = ConnectionAddresses.of(context);
    Http2FrameInspector inspector =
        new Http2FrameInspector(
            context.dataReader(),
            timer,
            HEADER_FACTOR * limits.sizes().maxHeaders(),
            stream -> connections.streamReset(addresses, stream));
    return new InterceptedConnectionContext(context, DataReader.create(inspector));
  }

  /** A connection that closes its timer when it addresses. */
  private record TimedConnection(ServerConnection connection, RequestHeadTimer timer)
      implements ServerConnection, InterruptableTask<Void> {

    @Override
    public void handle(Limit limit) throws InterruptedException {
      try (timer) {
        connection.handle(limit);
      }
    }

    @Override
    public Duration idleTime() {
      return connection.idleTime();
    }

    @Override
    public void close(boolean interrupt) {
      connection.close(interrupt);
    }

    @Override
    public boolean canInterrupt() {
      return connection instanceof InterruptableTask<?> task && task.canInterrupt();
    }
  }

  /** The upgrade of a connection from HTTP/1 to HTTP/2. */
  private final class Upgrade implements Http1Upgrader {
    private final Http1Upgrader upgrader;

    Upgrade(Http1Upgrader upgrader) {
      this.upgrader = upgrader;
    }

    @Override
    public String supportedProtocol() {
      return upgrader.supportedProtocol();
    }

    @Override
    public @Nullable ServerConnection upgrade(
        ConnectionContext context, HttpPrologue prologue, WritableHeaders<?> headers) {
      boolean hasSettings = headers.contains(HeaderNames.create("HTTP2-Settings"));
      if (!hasSettings || !(context.dataReader() instanceof Http1RequestReader reader)) {
        return null; // stays with HTTP/1
      }
      try {
        return upgrader.upgrade(frames(context, reader.timer()), prologue, headers);
      } catch (IllegalArgumentException e) {
        throw RequestLine.refuse("HTTP2-Settings is broken");
      }
    }
  }
}
