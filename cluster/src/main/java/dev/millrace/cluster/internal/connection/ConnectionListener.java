package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.HelloProtocol.Welcome;
import dev.millrace.cluster.internal.text.DisplayText;
import dev.millrace.engine.internal.thread.EngineThreads;
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
 * Accepts connections and reads their hello, each on a thread of its own. Connections without a
 * hello are bounded in number and time: if there are too many, the oldest is closed.
 */
public final class ConnectionListener implements AutoCloseable {
  public static final int MAX_WITHOUT_HELLO = 256;

  private static final int BACKLOG = 256;
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** Decides about connections that said hello, and serves them. */
  public interface Handler {
    Welcome judge(Hello hello, TlsConnection connection) throws IOException;

    /**
     * Called on the connection's thread; the connection ends when this returns, unless it is a
     * link.
     */
    void serve(Hello hello, TlsConnection connection) throws IOException;

    /** A connection that {@link #judge} admitted is not served after all. */
    void abandoned(Hello hello);
  }

  private final NodeIdentity identity;
  private final Duration helloTimeout;
  private final Handler handler;
  private final RefusalLog refusals = new RefusalLog();
  private final ServerSocket server;
  private final HostPort address;
  private final Thread accepting;

  /** In the order of arrival. */
  private final Map<Socket, Pending> pending = new LinkedHashMap<>();

  private int withoutHello;
  private volatile boolean closed;

  private static final class Pending {
    final Thread thread;
    boolean saidHello;

    Pending(Thread thread) {
      this.thread = thread;
    }
  }

  public ConnectionListener(
      NodeIdentity identity, HostPort listen, Duration helloTimeout, Handler handler) {
    this.identity = identity;
    this.helloTimeout = helloTimeout;
    this.handler = handler;
    this.server = bind(listen);
    this.address = new HostPort(listen.host(), server.getLocalPort());
    this.accepting =
        EngineThreads.service("millrace-accept-" + identity.name()).unstarted(this::accept);
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
          "cannot listen on %s: %s; choose another address, or stop the process that uses it"
              .formatted(listen, DisplayText.messageOf(e)),
          e);
    }
  }

  public void start() {
    accepting.start();
  }

  public HostPort address() {
    return address;
  }

  /** Connections that are not links. */
  public int connectionsWithoutLink() {
    synchronized (pending) {
      return pending.size();
    }
  }

  private void accept() {
    while (!closed) {
      Socket plain = null;
      try {
        plain = server.accept();
        accepted(plain);
      } catch (Throwable e) {
        // Out of descriptors, threads or memory: pause, and others free some.
        if (plain != null) {
          remove(plain);
          TlsConnection.closeNow(plain);
        }
        if (!closed) {
          pause();
        }
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      // Nobody interrupts this thread; it runs until it is closed.
    }
  }

  private void accepted(Socket plain) {
    Thread thread =
        EngineThreads.virtualWork()
            .name("millrace-inbound-" + identity.name())
            .unstarted(() -> receive(plain));
    synchronized (pending) {
      if (withoutHello == MAX_WITHOUT_HELLO) {
        dropOldest();
      }
      pending.put(plain, new Pending(thread));
      withoutHello++;
    }
    thread.start();
  }

  private void dropOldest() {
    for (var one : pending.entrySet()) {
      if (!one.getValue().saidHello) {
        TlsConnection.closeNow(one.getKey());
        pending.remove(one.getKey());
        withoutHello--;
        return;
      }
    }
  }

  private void remove(Socket plain) {
    synchronized (pending) {
      Pending one = pending.remove(plain);
      if (one != null && !one.saidHello) {
        withoutHello--;
      }
    }
  }

  private void saidHello(Socket plain) throws IOException {
    synchronized (pending) {
      Pending one = pending.get(plain);
      if (one == null || closed) {
        throw new IOException("closed");
      }
      one.saidHello = true;
      withoutHello--;
    }
  }

  private void receive(Socket plain) {
    try {
      exchangeHello(plain);
    } catch (Exception e) {
      if (!closed) {
        refusals.log(peer(plain), WireErrors.inboundRefusalReason(e));
        TlsConnection.closeGracefully(plain);
      }
    } catch (Error e) {
      // The connection is closed, which frees what it took.
    } finally {
      remove(plain);
    }
  }

  private static String peer(Socket plain) {
    InetAddress address = plain.getInetAddress();
    return address == null ? "unknown" : address.getHostAddress();
  }

  private void exchangeHello(Socket plain) throws IOException {
    TlsConnection connection;
    Hello hello;
    try (ConnectionDeadline deadline = new ConnectionDeadline(helloTimeout, plain)) {
      try {
        connection = TlsConnection.over(plain, identity.tls(), false);
        connection.startHandshake();
        hello = readHello(connection);
      } catch (IOException e) {
        throw deadline.passed() ? new IOException("it sent no hello in time", e) : e;
      }
      Welcome welcome = handler.judge(hello, connection);
      boolean served = false;
      try {
        HelloProtocol.writeWelcome(connection.out(), welcome);
        if (welcome.verdict() != Welcome.Verdict.WELCOME) {
          refusals.log(peer(plain), welcome.text());
          connection.closeGracefully();
          return;
        }
        if (!deadline.stopInTime()) {
          throw new IOException("it sent no hello in time");
        }
        saidHello(plain);
        served = true;
      } finally {
        if (!served && welcome.verdict() == Welcome.Verdict.WELCOME) {
          handler.abandoned(hello);
        }
      }
    }
    handler.serve(hello, connection);
  }

  private static Hello readHello(TlsConnection connection) throws IOException {
    HelloProtocol.writePreamble(connection.out(), ClusterProtocol.VERSION);
    int version = HelloProtocol.readPreamble(connection.in());
    if (version != ClusterProtocol.VERSION) {
      throw new IOException(
          "it speaks version %d, we speak %d".formatted(version, ClusterProtocol.VERSION));
    }
    return HelloProtocol.readHello(connection.in());
  }

  /** Closes the connections that are not links, and waits for their threads. */
  @Override
  public void close() {
    closed = true;
    List<Thread> threads;
    try {
      server.close();
    } catch (IOException e) {
      // It no longer listens anyway.
    }
    synchronized (pending) {
      pending.keySet().forEach(TlsConnection::closeNow);
      threads = pending.values().stream().map(one -> one.thread).toList();
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
