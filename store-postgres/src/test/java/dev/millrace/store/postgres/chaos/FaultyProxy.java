package dev.millrace.store.postgres.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Stands between a process and the database, and disturbs what passes. Thread-safe. */
final class FaultyProxy implements AutoCloseable {
  private final int target;
  private final ServerSocket listener;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition resumed = lock.newCondition();
  private boolean stalled; // guarded by the lock
  private volatile boolean refusing;
  private volatile boolean losingAnswers;
  private volatile Duration delay = Duration.ZERO;

  /** A connection, and that to the database. */
  private record Link(Socket client, Socket server) {
    void cut() {
      for (Socket each : new Socket[] {client, server}) {
        try {
          each.setSoLinger(true, 0); // a reset, as of a machine that is gone
          each.close();
        } catch (IOException e) {
          // it is closed already
        }
      }
    }
  }

  FaultyProxy(int target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("proxy-" + port()).start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Thread.ofVirtual().start(() -> connect(client));
      } catch (IOException e) {
        // closed: the loop ends
      }
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    Link link = new Link(client, server);
    try {
      if (refusing) {
        link.cut();
        return;
      }
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
      links.add(link);
      Thread.ofVirtual().start(() -> pump(link, client, server, false));
      pump(link, server, client, true);
    } catch (IOException e) {
      link.cut();
    }
  }

  private void pump(Link link, Socket from, Socket to, boolean answers) {
    byte[] buffer = new byte[16 * 1024];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int bytes = in.read(buffer); bytes >= 0; bytes = in.read(buffer)) {
        awaitPassage();
        if (!(answers && losingAnswers)) {
          out.write(buffer, 0, bytes);
          out.flush();
        }
      }
    } catch (IOException e) {
      // either side is gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      links.remove(link);
      link.cut();
    }
  }

  private void awaitPassage() throws InterruptedException {
    Duration wait = delay;
    if (wait.isPositive()) {
      Thread.sleep(wait); // a slow network
    }
    lock.lock();
    try {
      while (stalled) {
        resumed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Nothing passes, in either direction, until {@link #mend}; nothing is lost. */
  void stall() {
    lock.lock();
    try {
      stalled = true;
    } finally {
      lock.unlock();
    }
  }

  /** Statements reach the database, and nobody learns what became of them. */
  void loseAnswers() {
    losingAnswers = true;
  }

  /** Everything passes so much later. */
  void delay(Duration each) {
    delay = each;
  }

  /** All connections are reset, and new ones until {@link #mend}. */
  void refuse() {
    refusing = true;
    cut();
  }

  /** All connections are reset. */
  void cut() {
    links.forEach(Link::cut);
  }

  /** Everything passes again; a connection that has lost something is cut. */
  void mend() {
    boolean lost = losingAnswers;
    losingAnswers = false;
    if (lost) {
      cut(); // after that: none may be left that has lost something
    }
    refusing = false;
    delay = Duration.ZERO;
    lock.lock();
    try {
      stalled = false;
      resumed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    cut();
    mend();
  }
}
