package dev.millrace.cluster.origin;

import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Post;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * Sends messages to nodes for who must not wait: to one node in order, and no node keeps the
 * messages of another. What cannot be sent is told.
 */
final class Courier {
  /** Told of a message that could not be sent, by a thread of the courier. */
  @FunctionalInterface
  interface Undelivered {
    void tell(String node, Message message, String why);
  }

  /** More than these for one node are not kept: it is long gone. */
  private static final int MOST = 4096;

  private static final class Bag {
    private final Queue<Message> messages = new ArrayDeque<>();
    private boolean underWay;
  }

  private final Post post;
  private final Undelivered undelivered;
  private final Map<String, Bag> bags = new HashMap<>(); // guarded by this
  private int underWay; // guarded by this

  Courier(Post post, Undelivered undelivered) {
    this.post = post;
    this.undelivered = undelivered;
  }

  synchronized void send(String node, Message message) {
    Bag bag = bags.computeIfAbsent(node, name -> new Bag());
    if (bag.messages.size() >= MOST) {
      return;
    }
    bag.messages.add(message);
    if (!bag.underWay) {
      bag.underWay = true;
      underWay++;
      Thread.ofVirtual().name("millrace-courier-" + node).start(() -> deliver(node, bag));
    }
  }

  private void deliver(String node, Bag bag) {
    while (true) {
      Message message;
      synchronized (this) {
        message = bag.messages.poll();
        if (message == null) {
          bag.underWay = false;
          bags.remove(node);
          underWay--;
          notifyAll();
          return;
        }
      }
      try {
        post.send(node, message);
      } catch (RuntimeException e) {
        undelivered.tell(node, message, String.valueOf(e.getMessage()));
      }
    }
  }

  /** Waits until all is sent, but not longer than that; says whether it is. */
  synchronized boolean flush(long millis) throws InterruptedException {
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
}
