package dev.millrace.cluster.origin;

import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.engine.internal.pipe.Frame;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Who may send what back to the origin in a session, and how much before it is read. A step comes
 * back from the node that the plan has last, that it ended from any; what anybody else sends was
 * made up. For any thread.
 */
final class ReturnFilter {
  /** Enough to say that a step ended, and why. */
  private static final int SMALL = 8192;

  private final PipeSession session;
  private final int most;
  private final AtomicInteger largest = new AtomicInteger(SMALL);
  private final Map<String, Integer> unread = new ConcurrentHashMap<>();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * @param most frames that a node may send before any is read: groups that are under way at once
   */
  ReturnFilter(PipeSession session, int most) {
    this.session = session;
    this.most = most;
  }

  PipeSession session() {
    return session;
  }

  /** A frame of so many bytes goes to a node; when it comes back it is no larger. */
  void frameSent(int bytes) {
    largest.accumulateAndGet(bytes, Math::max);
  }

  /** Why a frame is not taken; null: it is, and counts until it is {@link #frameRead}. */
  @Nullable String refusalReason(String from, Frame.Kind kind, int bytes) {
    boolean may =
        switch (kind) {
          case STEP -> session.returnsFrom(from);
          case ENDED -> session.includes(from);
          case FORGET -> false;
        };
    if (!may) {
      return "it sent a frame that is not its to send";
    }
    if (bytes > largest.get()) {
      return "it sent a frame that is larger than any that went";
    }
    if (unread.merge(from, 1, Integer::sum) > most) {
      frameRead(from);
      return "it sent more frames than are under way";
    }
    return null;
  }

  /** Whether it is the first time that a node is to be told of. */
  boolean isFirstWarning(String from) {
    return warned.add(from);
  }

  void frameRead(String from) {
    unread.merge(from, -1, Integer::sum);
  }
}
