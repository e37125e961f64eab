package dev.millrace.cluster.internal.link;

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
 * Sends messages to nodes for who must not wait: to one node in order, and no node keeps the
 * messages of another. What cannot be sent is tried again for a while, and then told.
 */
public final class RetryingSender implements AutoCloseable {
  /** Told of a message that could not be sent, by a thread of the courier. */
  @FunctionalInterface
  public interface FailureListener {
    void undelivered(String node, NodeMessage message, String why);
  }

  /** More than these for one node are not kept: it is long gone. */
  private static final int MOST = 4096;

  private static final Duration PAUSE = Duration.ofMillis(250);

  private record QueuedMessage(NodeMessage message, long since) {}

  private static final class NodeQueue {
    private final Queue<QueuedMessage> parcels = new ArrayDeque<>();
    private boolean underWay;
  }

  private final MessageSender post;
  private final long patience;
  private final LongSupplier clock;
  private final FailureListener undelivered;
  private final Map<String, NodeQueue> bags = new HashMap<>(); // guarded by this
  private int underWay; // guarded by this
  private volatile boolean closed;

  /** With no patience: what cannot be sent at once is told at once. */
  public RetryingSender(MessageSender post, FailureListener undelivered) {
    this(post, Duration.ZERO, System::nanoTime, undelivered);
  }

  /**
   * @param patience for how long a message is tried again
   */
  public RetryingSender(MessageSender post, Duration patience, FailureListener undelivered) {
    this(post, patience, System::nanoTime, undelivered);
  }

  RetryingSender(
      MessageSender post, Duration patience, LongSupplier clock, FailureListener undelivered) {
    this.post = post;
    this.patience = patience.toNanos();
    this.clock = clock;
    this.undelivered = undelivered;
  }

  /** Queues a message and returns at once. */
  public synchronized void send(String node, NodeMessage message) {
    NodeQueue bag = bags.computeIfAbsent(node, name -> new NodeQueue());
    if (bag.parcels.size() >= MOST) {
      return;
    }
    bag.parcels.add(new QueuedMessage(message, clock.getAsLong()));
    if (!bag.underWay) {
      bag.underWay = true;
      underWay++;
      Thread.ofVirtual().name("millrace-courier-" + node).start(() -> deliver(node, bag));
    }
  }

  private void deliver(String node, NodeQueue bag) {
    for (QueuedMessage next = next(node, bag); next != null; next = next(node, bag)) {
      try {
        post.send(node, next.message());
        done(bag);
      } catch (RuntimeException e) {
        String why = String.valueOf(e.getMessage());
        late(bag).forEach(parcel -> undelivered.undelivered(node, parcel.message(), why));
        pause(bag, next);
      }
    }
  }

  /** The first one in the bag, which stays there until it is done with. */
  private synchronized @Nullable QueuedMessage next(String node, NodeQueue bag) {
    QueuedMessage next = closed ? null : bag.parcels.peek();
    if (next == null) {
      bag.underWay = false;
      bags.remove(node);
      underWay--;
      notifyAll();
    }
    return next;
  }

  private synchronized void done(NodeQueue bag) {
    bag.parcels.remove();
  }

  /** Takes out what is not to be tried again: a node that is not reached is so for all of it. */
  private synchronized List<QueuedMessage> late(NodeQueue bag) {
    List<QueuedMessage> late = new ArrayList<>();
    long now = clock.getAsLong();
    for (Iterator<QueuedMessage> all = bag.parcels.iterator(); all.hasNext(); ) {
      QueuedMessage parcel = all.next();
      if (now - parcel.since() >= patience) {
        late.add(parcel);
        all.remove();
      }
    }
    return late;
  }

  private void pause(NodeQueue bag, QueuedMessage tried) {
    synchronized (this) {
      if (bag.parcels.peek() != tried) {
        return;
      }
    }
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until all is sent, but not longer than that; says whether it is. */
  public synchronized boolean flush(long millis) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (underWay > 0) {
      long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  /** Drops what is not sent. */
  @Override
  public void close() {
    closed = true;
  }
}
