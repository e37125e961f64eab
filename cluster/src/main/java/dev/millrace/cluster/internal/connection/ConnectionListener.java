package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.internal.text.PeerText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.HelloProtocol.Welcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes connections and greets them, each on a thread of its own. Strangers can hold no more than a
 * bounded number of connections for a bounded time: where too many are not greeted yet, the oldest
 * of them goes.
 */
public final class ConnectionListener implements AutoCloseable {
  public static final int UNGREETED = 256;

  private static final int BACKLOG = 256;
  private static final Duration BREATH = Duration.ofMillis(100);

  /** Who decides about those that greeted, and serves them. */
  public interface Handler {
    Welcome judge(Hello hello, TlsConnection connection) throws IOException;

    /** On the connection's thread; it is over when this returns, unless it is a link. */
    void serve(Hello hello, TlsConnection connection) throws IOException;

    /** It was let in by {@link #judge} and is not served after all. */
    void abandoned(Hello hello);
  }

  private final NodeIdentity us;
  private final Duration greeting;
  private final Handler host;
  private final RefusalLog refusals = new RefusalLog();
  private final ServerSocket server;
  private final HostPort address;
  private final Thread accepting;

  /** In the order of their coming. */
  private final Map<Socket, Pending> guests = new LinkedHashMap<>();

  private int ungreeted;
  private volatile boolean closed;

  private static final class Pending {
    final Thread thread;
    boolean greeted;

    Pending(Thread thread) {
      this.thread = thread;
    }
  }

  public ConnectionListener(NodeIdentity us, HostPort listen, Duration greeting, Handler host) {
    this.us = us;
    this.greeting = greeting;
    this.host = host;
    this.server = bind(listen);
    this.address = new HostPort(listen.host(), server.getLocalPort());
    this.accepting =
        Thread.ofPlatform()
            .daemon(true)
            .name("millrace-accept-" + us.name())
            .unstarted(this::accept);
  }

  private static ServerSocket bind(HostPort listen) {
    try {
      ServerSocket server = new ServerSocket();
      try {
        server.setReuseAddress(true);
        server.bind(
            new InetSocketAddress(InetAddress.getByName(listen.host()), listen.port()), BACKLOG);
        return server;
      } catch (IOException e) {
        server.close();
        throw e;
      }
    } catch (IOException e) {
      throw new ClusterException(
          "cannot listen on %s: %s; give another address to listen on, or stop what has it"
              .formatted(listen, PeerText.messageOf(e)),
          e);
    }
  }

  public void start() {
    accepting.start();
  }

  public HostPort address() {
    return address;
  }

  /** Connections that are no links. */
  public int connectionsWithoutLink() {
    synchronized (guests) {
      return guests.size();
    }
  }

  private void accept() {
    while (!closed) {
      Socket plain = null;
      try {
        plain = server.accept();
        come(plain);
      } catch (Throwable e) {
        // Out of descriptors, threads or memory: others will free some.
        if (plain != null) {
          goes(plain);
          TlsConnection.closeNow(plain);
        }
        if (!closed) {
          rest();
        }
      }
    }
  }

  private static void rest() {
    try {
      Thread.sleep(BREATH);
    } catch (InterruptedException e) {
      // Nobody interrupts it, and it goes on until it is closed.
    }
  }

  private void come(Socket plain) {
    Thread thread =
        Thread.ofVirtual().name("millrace-guest-of-" + us.name()).unstarted(() -> receive(plain));
    synchronized (guests) {
      if (ungreeted == UNGREETED) {
        dropOldest();
      }
      guests.put(plain, new Pending(thread));
      ungreeted++;
    }
    thread.start();
  }

  private void dropOldest() {
    for (var guest : guests.entrySet()) {
      if (!guest.getValue().greeted) {
        TlsConnection.closeNow(guest.getKey());
        guests.remove(guest.getKey());
        ungreeted--;
        return;
      }
    }
  }

  private void goes(Socket plain) {
    synchronized (guests) {
      Pending guest = guests.remove(plain);
      if (guest != null && !guest.greeted) {
        ungreeted--;
      }
    }
  }

  private void greeted(Socket plain) throws IOException {
    synchronized (guests) {
      Pending guest = guests.get(plain);
      if (guest == null || closed) {
        throw new IOException("closed");
      }
      guest.greeted = true;
      ungreeted--;
    }
  }

  private void receive(Socket plain) {
    try {
      greet(plain);
    } catch (Exception e) {
      if (!closed) {
        refusals.log(peer(plain), WireErrors.inboundRefusalReason(e));
        TlsConnection.closeGracefully(plain);
      }
    } catch (Error e) {
      // The connection goes, and with it what it took.
    } finally {
      goes(plain);
    }
  }

  private static String peer(Socket plain) {
    InetAddress address = plain.getInetAddress();
    return address == null ? "somebody" : address.getHostAddress();
  }

  private void greet(Socket plain) throws IOException {
    TlsConnection connection;
    Hello hello;
    try (ConnectionDeadline deadline = new ConnectionDeadline(greeting, plain)) {
      try {
        connection = TlsConnection.over(plain, us.tls(), false);
        connection.startHandshake();
        hello = hear(connection);
      } catch (IOException e) {
        throw deadline.passed() ? new IOException("it did not greet us in time", e) : e;
      }
      Welcome welcome = host.judge(hello, connection);
      boolean through = false;
      try {
        HelloProtocol.writeWelcome(connection.out(), welcome);
        if (welcome.verdict() != Welcome.Verdict.WELCOME) {
          refusals.log(peer(plain), welcome.text());
          connection.closeGracefully();
          return;
        }
        if (!deadline.stopInTime()) {
          throw new IOException("it did not greet us in time");
        }
        greeted(plain);
        through = true;
      } finally {
        if (!through && welcome.verdict() == Welcome.Verdict.WELCOME) {
          host.abandoned(hello);
        }
      }
    }
    host.serve(hello, connection);
  }

  private static Hello hear(TlsConnection connection) throws IOException {
    HelloProtocol.writePreamble(connection.out(), ClusterProtocol.VERSION);
    int version = HelloProtocol.readPreamble(connection.in());
    if (version != ClusterProtocol.VERSION) {
      throw new IOException(
          "it speaks version %d, we speak %d".formatted(version, ClusterProtocol.VERSION));
    }
    return HelloProtocol.readHello(connection.in());
  }

  /** Ends the connections that are no links, and waits for their threads. */
  @Override
  public void close() {
    closed = true;
    List<Thread> threads;
    try {
      server.close();
    } catch (IOException e) {
      // It does not listen any more all the same.
    }
    synchronized (guests) {
      guests.keySet().forEach(TlsConnection::closeNow);
      threads = guests.values().stream().map(guest -> guest.thread).toList();
    }
    try {
      accepting.join(Duration.ofSeconds(5));
      for (Thread thread : threads) {
        if (thread != Thread.currentThread()) {
          thread.join(Duration.ofSeconds(5));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
