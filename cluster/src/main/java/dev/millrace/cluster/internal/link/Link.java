package dev.millrace.cluster.internal.link;

import dev.millrace.cluster.internal.text.PeerText;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.TlsConnection;
import dev.millrace.cluster.internal.connection.WireErrors;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A connection that carries messages from the side that dialled to the other, and pings both ways.
 * Two threads serve it: one reads, one writes; when both have ended, {@link Events#ended} is told.
 */
final class Link {
  private static final Duration FAREWELL = Duration.ofSeconds(1);
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final NodeMessage PING = new NodeMessage(Kind.PING, 0, NOTHING);

  /** Who hears of it. */
  interface Events {
    /** Before the first message: may wait for what must come before. */
    void beforeFirstMessage() throws InterruptedException;

    void received(NodeMessage message);

    void ended(Link link);
  }

  /** How it ended. */
  private record End(String why, boolean told) {}

  private final String node;
  private final TlsConnection connection;
  private final boolean dialled;
  private final Duration patience;
  private final SendQueue outbox;
  private final MessageReader input;
  private final MessageWriter output;
  private final Events ends;
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();
  private final AtomicInteger alive = new AtomicInteger(2);
  private final Thread reader;
  private final Thread writer;
  private volatile boolean delivering;

  Link(
      String node,
      TlsConnection connection,
      boolean dialled,
      ConnectionSettings settings,
      Events ends)
      throws IOException {
    this.node = node;
    this.connection = connection;
    this.dialled = dialled;
    this.patience = settings.linkTimeout();
    this.outbox = new SendQueue(settings.queueBytes());
    this.input = new MessageReader(connection.in());
    this.output = new MessageWriter(connection.out());
    this.ends = ends;
    connection.setReadTimeout(patience);
    // The thread that messages cross waits in the system itself; the other only carries pings.
    this.reader = thread(!dialled, "millrace-link-from-").unstarted(this::read);
    this.writer = thread(dialled, "millrace-link-to-").unstarted(this::write);
  }

  private Thread.Builder thread(boolean busy, String name) {
    return busy
        ? Thread.ofPlatform().daemon(true).name(name + node)
        : Thread.ofVirtual().name(name + node);
  }

  void start() {
    try {
      reader.start();
    } catch (Throwable e) {
      endBeforeStart(2, e);
      throw e;
    }
    try {
      writer.start();
    } catch (Throwable e) {
      endBeforeStart(1, e);
      throw e;
    }
  }

  private void endBeforeStart(int threads, Throwable e) {
    end("no thread could be started for it: " + PeerText.messageOf(e), false);
    for (int i = 0; i < threads; i++) {
      gone();
    }
  }

  /** Queues a message; false where the link has ended. */
  boolean send(NodeMessage message) throws InterruptedException {
    return outbox.put(message);
  }

  /** Why it ended, or null. */
  @Nullable String why() {
    End is = end.get();
    return is == null ? null : is.why();
  }

  /**
   * Ends it, from any thread, without waiting.
   *
   * @param tell whether the other side is told why
   */
  void end(String why, boolean tell) {
    if (!end.compareAndSet(null, new End(why, tell))) {
      return;
    }
    outbox.close();
    if (!tell) {
      connection.closeNow();
    } else if (writer.getState() == Thread.State.NEW) {
      connection.closeNow();
    } else {
      connection.closeAfter(FAREWELL);
    }
  }

  /**
   * Ends it where nothing was heard for so long that even its own threads must hang; and where the
   * other side takes nothing for as long, though it sends pings: who waits for room must not wait
   * for ever.
   */
  void check(long now) {
    String time = PeerText.seconds(patience.multipliedBy(2));
    if (!delivering && now - input.lastReceivedNanos() > 2 * patience.toNanos()) {
      end("nothing was heard of it for " + time, false);
    }
    if (output.stuckFor(now) > 2 * patience.toNanos()) {
      end("it has taken nothing for " + time, false);
    }
  }

  /** Waits until its threads have ended. */
  void join(Duration time) throws InterruptedException {
    for (Thread thread : new Thread[] {reader, writer}) {
      if (thread != Thread.currentThread() && thread.getState() != Thread.State.NEW) {
        thread.join(time);
      }
    }
  }

  private void read() {
    try {
      ends.beforeFirstMessage();
      NodeMessage message;
      while ((message = input.read()) != null) {
        if (message.kind() != Kind.PING) {
          deliver(message);
        } else if (message.body().hasRemaining()) {
          end("it said: " + PeerText.sanitized(message.body()), false);
        }
      }
      end(WireErrors.NO_FAREWELL, false);
    } catch (IOException e) {
      end(WireErrors.linkLossReason(e, patience), false);
    } catch (InterruptedException e) {
      end("interrupted", false);
    } catch (Throwable e) {
      end("what it sent could not be taken: " + PeerText.messageOf(e), false);
    } finally {
      gone();
    }
  }

  private void deliver(NodeMessage message) throws IOException {
    if (dialled) {
      throw new ProtocolException("a message on the link that we dialled");
    }
    if (end.get() != null) {
      return;
    }
    delivering = true;
    try {
      ends.received(message);
    } finally {
      delivering = false;
    }
  }

  private void write() {
    try {
      long idle = patience.toNanos() / 5;
      while (!outbox.closed()) {
        NodeMessage next = outbox.take(idle);
        if (next == null) {
          if (outbox.closed()) {
            break;
          }
          output.write(PING);
        }
        while (next != null) {
          output.write(next);
          next = outbox.written(next);
        }
        output.flush();
      }
      farewell();
    } catch (IOException e) {
      broken(e);
    } catch (InterruptedException e) {
      end("interrupted", false);
    } catch (Throwable e) {
      end("nothing can be sent to it: " + PeerText.messageOf(e), false);
    } finally {
      connection.closeNow();
      gone();
    }
  }

  private void farewell() throws IOException {
    End is = end.get();
    if (is != null && is.told()) {
      byte[] why = is.why().getBytes(StandardCharsets.UTF_8);
      output.write(new NodeMessage(Kind.PING, 0, ByteBuffer.wrap(why)));
      output.flush();
      connection.closeGracefully();
    }
  }

  /** Where writing fails, the other side's last words may still be there to be read. */
  private void broken(IOException e) {
    outbox.close();
    try {
      reader.join(Duration.ofMillis(200));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    end(WireErrors.linkLossReason(e, patience), false);
  }

  private void gone() {
    if (alive.decrementAndGet() == 0) {
      connection.closeNow();
      ends.ended(this);
    }
  }
}
