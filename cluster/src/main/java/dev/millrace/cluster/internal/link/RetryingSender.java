package dev.millrace.cluster.internal.link;

import dev.millrace.engine.internal.thread.EngineThreads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages for callers that must not wait: in order to each node, and no node delays another.
 * A message that cannot be sent is retried for a while and then reported.
 */
public final class RetryingSender implements AutoCloseable {
  /** Called by a thread of the sender for a message that could not be sent. */
  @FunctionalInterface
  public interface FailureListener {
    void undelivered(String node, NodeMessage message, String why);
  }

  /** Messages queued for one node; further ones are dropped, because the node is long gone. */
  private static final int MAX_QUEUED = 4096;

  private static final Duration PAUSE = Duration.ofMillis(250);

  private record QueuedMessage(NodeMessage message, long since) {}

  private static final class NodeQueue {
    private final Queue<QueuedMessage> messages = new ArrayDeque<>();
    private boolean running;
  }

  private final MessageSender sender;
  private final long retryNanos;
  private final LongSupplier clock;
  private final FailureListener undelivered;
  private final Map<String, NodeQueue> queues = new HashMap<>(); // guarded by this
  private int running; // guarded by this
  private volatile boolean closed;

  /** Without retries: a message that cannot be sent is reported at once. */
  public RetryingSender(MessageSender sender, FailureListener undelivered) {
    this(sender, Duration.ZERO, System::nanoTime, undelivered);
  }

  /**
   * @param retryNanos for how long a message is retried
   */
  public RetryingSender(MessageSender sender, Duration retryNanos, FailureListener undelivered) {
    this(sender, retryNanos, System::nanoTime, undelivered);
  }

  RetryingSender(
      MessageSender sender, Duration retryNanos, LongSupplier clock, FailureListener undelivered) {
    this.sender = sender;
    this.retryNanos = retryNanos.toNanos();
    this.clock = clock;
    this.undelivered = undelivered;
  }

  /** Queues a message and returns at once. */
  public synchronized void send(String node, NodeMessage message) {
    NodeQueue queue = queues.computeIfAbsent(node, name -> new NodeQueue());
    if (queue.messages.size() >= MAX_QUEUED) {
      return;
    }
    queue.messages.add(new QueuedMessage(message, clock.getAsLong()));
    if (!queue.running) {
      queue.running = true;
      running++;
      EngineThreads.virtualWork()
          .name("millrace-courier-" + node)
          .start(() -> deliver(node, queue));
    }
  }

  private void deliver(String node, NodeQueue queue) {
    for (QueuedMessage next = next(node, queue); next != null; next = next(node, queue)) {
      try {
        sender.send(node, next.message());
        done(queue);
      } catch (RuntimeException e) {
        String why = String.valueOf(e.getMessage());
        late(queue).forEach(queued -> undelivered.undelivered(node, queued.message(), why));
        pause(queue, next);
      }
    }
  }

  /** The first message of the queue, which stays there until it is sent or given up. */
  private synchronized @Nullable QueuedMessage next(String node, NodeQueue queue) {
    QueuedMessage next = closed ? null : queue.messages.peek();
    if (next == null) {
      queue.running = false;
      queues.remove(node);
      running--;
      notifyAll();
    }
    return next;
  }

  private synchronized void done(NodeQueue queue) {
    queue.messages.remove();
  }

  /** Removes all messages that are too old to retry. */
  private synchronized List<QueuedMessage> late(NodeQueue queue) {
    List<QueuedMessage> late = new ArrayList<>();
    long now = clock.getAsLong();
    for (Iterator<QueuedMessage> all = queue.messages.iterator(); all.hasNext(); ) {
      QueuedMessage queued = all.next();
      if (now - queued.since() >= retryNanos) {
        late.add(queued);
        all.remove();
      }
    }
    return late;
  }

  private void pause(NodeQueue queue, QueuedMessage tried) {
    synchronized (this) {
      if (queue.messages.peek() != tried) {
        return;
      }
    }
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until all is sent, at most so long; returns whether it is. */
  public synchronized boolean flush(long millis) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (running > 0) {
      long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  /** Drops all unsent messages. */
  @Override
  public void close() {
    closed = true;
  }
}
