package dev.millrace.http.transport;

import io.helidon.common.socket.SocketOptions;
import java.io.IOException;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open connections, each from when it is accepted. Closes those without a request for too long:
 * silent ones, those stuck in the TLS handshake, and those left open. Helidon does not see the
 * first two, and takes a long HTTP/2 stream for idle.
 */
public final class OpenConnections implements SocketOptions {
  private final SocketOptions options = SocketOptions.builder().tcpNoDelay(true).build();
  private final Map<ConnectionAddresses, Connection> connections = new ConcurrentHashMap<>();
  private final long idle;

  public OpenConnections(Duration idle) {
    this.idle = idle.toNanos();
  }

  private static final class Connection {
    private static final int MAX_RESET = 256;

    private final SocketChannel channel;
    private final Set<Integer> reset = new LinkedHashSet<>();
    private int requests;
    private long since = System.nanoTime();

    Connection(SocketChannel channel) {
      this.channel = channel;
    }

    synchronized void add(int more) {
      requests += more;
      since = System.nanoTime();
    }

    /** Remembers a reset stream until its response would be sent; there are never many. */
    synchronized void reset(int stream) {
      reset.add(stream);
      if (reset.size() > MAX_RESET) {
        reset.remove(reset.iterator().next());
      }
    }

    synchronized boolean awaits(int stream) {
      return channel.isOpen() && !reset.contains(stream);
    }

    synchronized boolean isIdle(long now, long idle) {
      return requests == 0 && now - since > idle;
    }
  }

  /** Called by the listener for each connection that it accepts. */
  @Override
  public void configureSocket(SocketChannel channel) {
    options.configureSocket(channel);
    try {
      connections.put(ConnectionAddresses.of(channel), new Connection(channel));
    } catch (IOException e) {
      close(channel); // already closed by the client
    }
  }

  /** A request begins. */
  public void requestStarted(ConnectionAddresses addresses) {
    add(addresses, 1);
  }

  public void requestEnded(ConnectionAddresses addresses) {
    add(addresses, -1);
  }

  void touch(ConnectionAddresses addresses) {
    add(addresses, 0);
  }

  /** Checks the client whose request the calling thread handles. */
  public DisconnectProbe.Result probe(ConnectionAddresses addresses) {
    Connection connection = connections.get(addresses);
    return connection == null
        ? DisconnectProbe.Result.SILENT
        : DisconnectProbe.probe(connection.channel);
  }

  /** An HTTP/2 client cancelled one of its requests. */
  void streamReset(ConnectionAddresses addresses, int stream) {
    Connection connection = connections.get(addresses);
    if (connection != null) {
      connection.reset(stream);
    }
  }

  /** Whether an HTTP/2 client still waits for this response, as far as its frames were read. */
  public boolean awaitsResponse(ConnectionAddresses addresses, int stream) {
    Connection connection = connections.get(addresses);
    return connection != null && connection.awaits(stream);
  }

  /** Stops reading: a reader sees the end of the stream, and can still respond. */
  public void shutdownInput(ConnectionAddresses addresses) {
    Connection connection = connections.get(addresses);
    if (connection != null) {
      try {
        connection.channel.shutdownInput();
      } catch (IOException e) {
        close(connection.channel);
      }
    }
  }

  private void add(ConnectionAddresses addresses, int more) {
    Connection connection = connections.get(addresses);
    if (connection != null) {
      connection.add(more);
    }
  }

  /** Closes idle connections and removes closed ones. */
  public void closeIdle(long now) {
    connections
        .values()
        .removeIf(
            connection -> {
              if (connection.isIdle(now, idle)) {
                close(connection.channel);
              }
              return !connection.channel.isOpen();
            });
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // closed anyway
    }
  }

  @Override
  public Map<SocketOption<?>, Object> socketOptions() {
    return options.socketOptions();
  }

  @Override
  public Duration connectTimeout() {
    return options.connectTimeout();
  }

  @Override
  public Duration readTimeout() {
    return options.readTimeout();
  }

  @Override
  public Optional<Integer> socketReceiveBufferSize() {
    return options.socketReceiveBufferSize();
  }

  @Override
  public Optional<Integer> socketSendBufferSize() {
    return options.socketSendBufferSize();
  }

  @Override
  public boolean socketReuseAddress() {
    return options.socketReuseAddress();
  }

  @Override
  public boolean socketKeepAlive() {
    return options.socketKeepAlive();
  }

  @Override
  public boolean tcpNoDelay() {
    return options.tcpNoDelay();
  }
}
