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
 * All open connections, from the moment they are accepted: one that has had no request for too long
 * is closed, be it silent, stuck in its handshake, or left open by its client. The server below would
 * not see the first two, and would take a long stream over HTTP/2 for idle.
 */
public final class OpenConnections implements SocketOptions {
  private final SocketOptions options = SocketOptions.builder().tcpNoDelay(true).build();
  private final Map<ConnectionAddresses, Connection> connections = new ConcurrentHashMap<>();
  private final long idle;

  public OpenConnections(Duration idle) {
    this.idle = idle.toNanos();
  }

  private static final class Connection {
    private static final int MOST_TAKEN_BACK = 256;

    private final SocketChannel channel;
    private final Set<Integer> takenBack = new LinkedHashSet<>();
    private int requests;
    private long since = System.nanoTime();

    Connection(SocketChannel channel) {
      this.channel = channel;
    }

    synchronized void add(int more) {
      requests += more;
      since = System.nanoTime();
    }

    /** Remembers a stream until its answer is due, which is soon: there are never many. */
    synchronized void takenBack(int stream) {
      takenBack.add(stream);
      if (takenBack.size() > MOST_TAKEN_BACK) {
        takenBack.remove(takenBack.iterator().next());
      }
    }

    synchronized boolean wants(int stream) {
      return channel.isOpen() && !takenBack.contains(stream);
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
      close(channel); // it has gone already
    }
  }

  /** A request begins, or part of it has come. */
  public void requestStarted(ConnectionAddresses ends) {
    add(ends, 1);
  }

  public void requestEnded(ConnectionAddresses ends) {
    add(ends, -1);
  }

  void touch(ConnectionAddresses ends) {
    add(ends, 0);
  }

  /** Looks after the client whose request the calling thread answers. */
  public DisconnectProbe.Result probe(ConnectionAddresses ends) {
    Connection connection = connections.get(ends);
    return connection == null
        ? DisconnectProbe.Result.SILENT
        : DisconnectProbe.probe(connection.channel);
  }

  /** A client of HTTP/2 wants no answer any more to one of its requests. */
  void streamReset(ConnectionAddresses ends, int stream) {
    Connection connection = connections.get(ends);
    if (connection != null) {
      connection.takenBack(stream);
    }
  }

  /** Whether a client of HTTP/2 still waits for an answer, as far as was read. */
  public boolean awaitsResponse(ConnectionAddresses ends, int stream) {
    Connection connection = connections.get(ends);
    return connection != null && connection.wants(stream);
  }

  /** Lets nothing more in: whoever reads from it comes to its end, and can still answer. */
  public void shutdownInput(ConnectionAddresses ends) {
    Connection connection = connections.get(ends);
    if (connection != null) {
      try {
        connection.channel.shutdownInput();
      } catch (IOException e) {
        close(connection.channel);
      }
    }
  }

  private void add(ConnectionAddresses ends, int more) {
    Connection connection = connections.get(ends);
    if (connection != null) {
      connection.add(more);
    }
  }

  /** Closes what is idle and forgets what is closed. */
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

  int size() {
    return connections.size();
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // it is closed all the same
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
