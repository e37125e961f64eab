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
 * Which version of HTTP a connection speaks: HTTP/2 if it begins with its preface or is upgraded, and
 * HTTP/1 whatever else it begins with, so that it has an answer. Both are read along.
 */
public final class ProtocolSelector implements ServerConnectionSelector {
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /** So many times the header that is read are taken in, to refuse it on its own stream only. */
  private static final int MORE_OF_HEADER = 4;

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
        .maxHeadersSize(limits.maxHeaders())
        .maxPrologueLength(Http1RequestReader.MAX_LINE)
        .continueImmediately(false)
        .validatePath(false) // RequestLine and RequestPath do
        .validateRequestHeaders(true)
        .validateResponseHeaders(true)
        .build();
  }

  private static Http2Config http2(HttpLimits limits) {
    return Http2Config.builder()
        .maxHeaderListSize((long) MORE_OF_HEADER * limits.maxHeaders())
        .validatePath(false) // would end the connection
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
    RequestHeadTimer clock =
        new RequestHeadTimer(context, connections, stalls, limits.slowest().toNanos());
    DataReader in = context.dataReader();
    try {
      if (beginsWithPreface(in, clock)) {
        return new Watched(http2.connection(frames(context, clock)), clock);
      }
      Http1RequestReader reader = new Http1RequestReader(in, clock, limits.maxBulkBody());
      return new Watched(
          http1.connection(new InterceptedConnectionContext(context, reader)), clock);
    } catch (DataReader.InsufficientDataAvailableException e) {
      clock.close();
      throw new CloseConnectionException("nothing that could be answered", e);
    } catch (RuntimeException e) {
      clock.close();
      throw e;
    }
  }

  /** Looks at no more than it takes to see the difference. */
  private static boolean beginsWithPreface(DataReader in, RequestHeadTimer clock) {
    in.ensureAvailable();
    clock.start();
    for (int i = 0; i < PREFACE.length; i++) {
      if (in.getBuffer(i + 1).get(i) != PREFACE[i]) {
        return false;
      }
    }
    clock.stop();
    return true;
  }

  private InterceptedConnectionContext frames(ConnectionContext context, RequestHeadTimer clock) {
    ConnectionAddresses ends = ConnectionAddresses.of(context);
    Http2FrameInspector watch =
        new Http2FrameInspector(
            context.dataReader(),
            clock,
            MORE_OF_HEADER * limits.maxHeaders(),
            stream -> connections.streamReset(ends, stream));
    return new InterceptedConnectionContext(context, DataReader.create(watch));
  }

  /** A connection whose clock ends with it. */
  private record Watched(ServerConnection connection, RequestHeadTimer clock)
      implements ServerConnection, InterruptableTask<Void> {

    @Override
    public void handle(Limit limit) throws InterruptedException {
      try (clock) {
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

  /** From HTTP/1 to HTTP/2 in the middle of a connection, which is read along as any other. */
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
      boolean told = headers.contains(HeaderNames.create("HTTP2-Settings"));
      if (!told || !(context.dataReader() instanceof Http1RequestReader reader)) {
        return null; // answered over HTTP/1
      }
      try {
        return upgrader.upgrade(frames(context, reader.clock()), prologue, headers);
      } catch (IllegalArgumentException e) {
        throw RequestLine.refuse("HTTP2-Settings is broken");
      }
    }
  }
}
