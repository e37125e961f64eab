package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Post;
import dev.millrace.engine.pipe.PipeProcessor;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What origins are answered. An origin may be heard before this node has learnt that it is a
 * member: its answer waits until then, for a while. Belongs to the thread that computes.
 */
final class Replies {
  static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);
  private static final int MOST = 256;
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private record Reply(String to, Message message, long since) {}

  private final Post post;
  private final LongSupplier clock;
  private final Deque<Reply> waiting = new ArrayDeque<>();

  /**
   * @param clock nanoseconds
   */
  Replies(Post post, LongSupplier clock) {
    this.post = post;
    this.clock = clock;
  }

  void send(String to, Message message) {
    Reply reply = new Reply(to, message, clock.getAsLong());
    if (isWaiting(to) || !sent(reply)) {
      waiting.add(reply);
      if (waiting.size() > MOST) {
        waiting.remove();
      }
    }
  }

  private boolean isWaiting(String to) {
    return waiting.stream().anyMatch(reply -> reply.to().equals(to));
  }

  private boolean sent(Reply reply) {
    try {
      post.send(reply.to(), reply.message());
      return true;
    } catch (ClusterException e) {
      String why = PipeProcessor.reason(e);
      LOG.log(Level.DEBUG, "{0} is not told {1} yet: {2}", reply.to(), reply.message().kind(), why);
      return false;
    }
  }

  /** Tries again what waits, in its order. Gives what will not be said any more. */
  List<Message> retry() {
    List<Message> given = new ArrayList<>();
    List<String> deaf = new ArrayList<>();
    for (int i = waiting.size(); i > 0; i--) {
      Reply reply = waiting.remove();
      if (clock.getAsLong() - reply.since() >= PATIENCE) {
        given.add(reply.message());
      } else if (deaf.contains(reply.to()) || !sent(reply)) {
        deaf.add(reply.to());
        waiting.add(reply);
      }
    }
    return given;
  }

  /** Nobody is to hear them: that node is gone. */
  void drop(String to) {
    waiting.removeIf(reply -> reply.to().equals(to));
  }
}
