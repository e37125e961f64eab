package dev.millrace.cluster.wire;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.wire.Greeting.Welcome;
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
final class Listener implements AutoCloseable {
  static final int UNGREETED = 256;

  private static final int BACKLOG = 256;
  private static final Duration BREATH = Duration.ofMillis(100);

  /** Who decides about those that greeted, and serves them. */
  interface Host {
    Welcome judge(Hello hello, Connection connection) throws IOException;

    /** On the connection's thread; it is over when this returns, unless it is a link. */
    void serve(Hello hello, Connection connection) throws IOException;

    /** It was let in by {@link #judge} and is not served after all. */
    void gone(Hello hello);
  }

  private final Identity us;
  private final Duration greeting;
  private final Host host;
  private final Refusals refusals = new Refusals();
  private final ServerSocket server;
  private final HostPort address;
  private final Thread accepting;

  /** In the order of their coming. */
  private final Map<Socket, Guest> guests = new LinkedHashMap<>();

  private int ungreeted;
  private volatile boolean closed;

  private static final class Guest {
    final Thread thread;
    boolean greeted;

    Guest(Thread thread) {
      this.thread = thread;
    }
  }

  Listener(Identity us, HostPort listen, Duration greeting, Host host) {
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
              .formatted(listen, Words.of(e)),
          e);
    }
  }

  void start() {
    accepting.start();
  }

  HostPort address() {
    return address;
  }

  /** Connections that are no links. */
  int guests() {
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
          Connection.cut(plain);
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
      guests.put(plain, new Guest(thread));
      ungreeted++;
    }
    thread.start();
  }

  private void dropOldest() {
    for (var guest : guests.entrySet()) {
      if (!guest.getValue().greeted) {
        Connection.cut(guest.getKey());
        guests.remove(guest.getKey());
        ungreeted--;
        return;
      }
    }
  }

  private void goes(Socket plain) {
    synchronized (guests) {
      Guest guest = guests.remove(plain);
      if (guest != null && !guest.greeted) {
        ungreeted--;
      }
    }
  }

  private void greeted(Socket plain) throws IOException {
    synchronized (guests) {
      Guest guest = guests.get(plain);
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
        refusals.log(peer(plain), Words.turnedAway(e));
        Connection.leave(plain);
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
    Connection connection;
    Hello hello;
    try (Deadline deadline = new Deadline(greeting, plain)) {
      try {
        connection = Connection.over(plain, us.tls(), false);
        connection.shakeHands();
        hello = hear(connection);
      } catch (IOException e) {
        throw deadline.passed() ? new IOException("it did not greet us in time", e) : e;
      }
      Welcome welcome = host.judge(hello, connection);
      boolean through = false;
      try {
        Greeting.writeWelcome(connection.out(), welcome);
        if (welcome.verdict() != Welcome.Verdict.WELCOME) {
          refusals.log(peer(plain), welcome.text());
          connection.leave();
          return;
        }
        if (!deadline.keep()) {
          throw new IOException("it did not greet us in time");
        }
        greeted(plain);
        through = true;
      } finally {
        if (!through && welcome.verdict() == Welcome.Verdict.WELCOME) {
          host.gone(hello);
        }
      }
    }
    host.serve(hello, connection);
  }

  private static Hello hear(Connection connection) throws IOException {
    Greeting.writePreamble(connection.out(), Protocol.VERSION);
    int version = Greeting.readPreamble(connection.in());
    if (version != Protocol.VERSION) {
      throw new IOException(
          "it speaks version %d, we speak %d".formatted(version, Protocol.VERSION));
    }
    return Greeting.readHello(connection.in());
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
      guests.keySet().forEach(Connection::cut);
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
