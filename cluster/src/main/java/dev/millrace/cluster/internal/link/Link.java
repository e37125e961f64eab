package dev.millrace.cluster.internal.link;

import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.TlsConnection;
import dev.millrace.cluster.internal.connection.WireErrors;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.text.DisplayText;
import dev.millrace.engine.internal.thread.EngineThreads;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A connection that carries messages from the dialing side to the other, and pings both ways. One
 * thread reads and one writes; when both have ended, {@link Events#ended} is called.
 */
final class Link {
  private static final Duration GOODBYE_TIMEOUT = Duration.ofSeconds(1);
  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);
  private static final NodeMessage PING = new NodeMessage(Kind.PING, 0, EMPTY);

  /** Listener of a link. */
  interface Events {
    /** Called before the first message; may wait for what must come first. */
    void beforeFirstMessage() throws InterruptedException;

    void received(NodeMessage message);

    void ended(Link link);
  }

  /** How the link ended. */
  private record End(String why, boolean sendReason) {}

  private final String node;
  private final TlsConnection connection;
  private final boolean dialed;
  private final Duration timeout;
  private final SendQueue queue;
  private final MessageReader input;
  private final MessageWriter output;
  private final Events events;
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();
  private final AtomicInteger liveThreads = new AtomicInteger(2);
  private final Thread reader;
  private final Thread writer;
  private volatile boolean delivering;

  Link(
      String node,
      TlsConnection connection,
      boolean dialed,
      ConnectionSettings settings,
      Events events)
      throws IOException {
    this.node = node;
    this.connection = connection;
    this.dialed = dialed;
    this.timeout = settings.linkTimeout();
    this.queue = new SendQueue(settings.queueBytes());
    this.input = new MessageReader(connection.in());
    this.output = new MessageWriter(connection.out());
    this.events = events;
    connection.setReadTimeout(timeout);
    // The thread for messages is a platform thread; the other carries only pings.
    this.reader = thread(!dialed, "millrace-link-from-").unstarted(this::read);
    this.writer = thread(dialed, "millrace-link-to-").unstarted(this::write);
  }

  private Thread.Builder thread(boolean busy, String name) {
    return busy
        ? EngineThreads.work().name(name + node)
        : EngineThreads.virtualWork().name(name + node);
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
    end("no thread could be started for it: " + DisplayText.messageOf(e), false);
    for (int i = 0; i < threads; i++) {
      threadEnded();
    }
  }

  /** Queues a message; false if the link has ended. */
  boolean send(NodeMessage message) throws InterruptedException {
    return queue.put(message);
  }

  /** Why the link ended; null while it has not. */
  @Nullable String why() {
    End is = end.get();
    return is == null ? null : is.why();
  }

  /**
   * Ends the link from any thread, without waiting.
   *
   * @param sendReason whether to send the reason to the other side
   */
  void end(String why, boolean sendReason) {
    if (!end.compareAndSet(null, new End(why, sendReason))) {
      return;
    }
    queue.close();
    if (!sendReason) {
      connection.closeNow();
    } else if (writer.getState() == Thread.State.NEW) {
      connection.closeNow();
    } else {
      connection.closeAfter(GOODBYE_TIMEOUT);
    }
  }

  /**
   * Ends the link if it was silent so long that its own threads must hang, or if the other side
   * reads nothing for that long although it sends pings: a sender that waits for room must not wait
   * forever.
   */
  void check(long now) {
    String time = DisplayText.seconds(timeout.multipliedBy(2));
    if (!delivering && now - input.lastReceivedNanos() > 2 * timeout.toNanos()) {
      end("it was silent for " + time, false);
    }
    if (output.stuckFor(now) > 2 * timeout.toNanos()) {
      end("it has read nothing for " + time, false);
    }
  }

  /** Waits until the threads of the link have ended. */
  void join(Duration time) throws InterruptedException {
    for (Thread thread : new Thread[] {reader, writer}) {
      if (thread != Thread.currentThread() && thread.getState() != Thread.State.NEW) {
        thread.join(time);
      }
    }
  }

  private void read() {
    try {
      events.beforeFirstMessage();
      NodeMessage message;
      while ((message = input.read()) != null) {
        if (message.kind() != Kind.PING) {
          deliver(message);
        } else if (message.body().hasRemaining()) {
          end("it said: " + DisplayText.sanitized(message.body()), false);
        }
      }
      end(WireErrors.NO_GOODBYE, false);
    } catch (IOException e) {
      end(WireErrors.linkLossReason(e, timeout), false);
    } catch (InterruptedException e) {
      end("interrupted", false);
    } catch (Throwable e) {
      end("its message could not be handled: " + DisplayText.messageOf(e), false);
    } finally {
      threadEnded();
    }
  }

  private void deliver(NodeMessage message) throws IOException {
    if (dialed) {
      throw new ProtocolException("a message on the link that we dialed");
    }
    if (end.get() != null) {
      return;
    }
    delivering = true;
    try {
      events.received(message);
    } finally {
      delivering = false;
    }
  }

  private void write() {
    try {
      long idle = timeout.toNanos() / 5;
      while (!queue.closed()) {
        NodeMessage next = queue.take(idle);
        if (next == null) {
          if (queue.closed()) {
            break;
          }
          output.write(PING);
        }
        while (next != null) {
          output.write(next);
          next = queue.written(next);
        }
        output.flush();
      }
      sendGoodbye();
    } catch (IOException e) {
      writeFailed(e);
    } catch (InterruptedException e) {
      end("interrupted", false);
    } catch (Throwable e) {
      end("nothing can be sent to it: " + DisplayText.messageOf(e), false);
    } finally {
      connection.closeNow();
      threadEnded();
    }
  }

  private void sendGoodbye() throws IOException {
    End is = end.get();
    if (is != null && is.sendReason()) {
      byte[] why = is.why().getBytes(StandardCharsets.UTF_8);
      output.write(new NodeMessage(Kind.PING, 0, ByteBuffer.wrap(why)));
      output.flush();
      connection.closeGracefully();
    }
  }

  /** If writing fails, the other side's last message may still be readable. */
  private void writeFailed(IOException e) {
    queue.close();
    try {
      reader.join(Duration.ofMillis(200));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    end(WireErrors.linkLossReason(e, timeout), false);
  }

  private void threadEnded() {
    if (liveThreads.decrementAndGet() == 0) {
      connection.closeNow();
      events.ended(this);
    }
  }
}
