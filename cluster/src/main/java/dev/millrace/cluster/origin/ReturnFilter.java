package dev.millrace.cluster.origin;

import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.engine.internal.pipe.Frame;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Checks frames that nodes send back to the origin: which node may send which kind, and how many
 * may be unread. Steps come from the last node of the plan, endings from any node of it. Any
 * thread.
 */
final class ReturnFilter {
  /** Enough for the ending of a step and its reason. */
  private static final int SMALL = 8192;

  private final PipeSession session;
  private final int maxUnread;
  private final AtomicInteger largest = new AtomicInteger(SMALL);
  private final Map<String, Integer> unread = new ConcurrentHashMap<>();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * @param maxUnread unread frames of a node: groups in flight
   */
  ReturnFilter(PipeSession session, int maxUnread) {
    this.session = session;
    this.maxUnread = maxUnread;
  }

  PipeSession session() {
    return session;
  }

  /** A frame of so many bytes was sent; a returning frame is no larger. */
  void frameSent(int bytes) {
    largest.accumulateAndGet(bytes, Math::max);
  }

  /** Why a frame is refused; null: it is accepted, and counts until {@link #frameRead}. */
  @Nullable String refusalReason(String from, Frame.Kind kind, int bytes) {
    boolean may =
        switch (kind) {
          case STEP -> session.returnsFrom(from);
          case ENDED -> session.includes(from);
          case FORGET -> false;
        };
    if (!may) {
      return "it sent a frame that it must not send";
    }
    if (bytes > largest.get()) {
      return "it sent a frame that is larger than any sent to it";
    }
    if (unread.merge(from, 1, Integer::sum) > maxUnread) {
      frameRead(from);
      return "it sent more frames than are in flight";
    }
    return null;
  }

  /** Whether this is the first warning about a node. */
  boolean isFirstWarning(String from) {
    return warned.add(from);
  }

  void frameRead(String from) {
    unread.merge(from, -1, Integer::sum);
  }
}
