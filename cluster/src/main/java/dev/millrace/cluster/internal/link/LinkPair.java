package dev.millrace.cluster.internal.link;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * The links between two nodes: the one that we dialed, the one that the other node dialed, or both.
 * If one ends, both end, the loss is reported once, and a later link begins a new pair. Guarded by
 * its {@link LinkedNode}.
 */
final class LinkPair {
  final long incarnation;

  /** The previous pair, until its loss is reported. */
  @Nullable LinkPair previous;

  /** Opens when the loss is reported. */
  final CountDownLatch lossReported = new CountDownLatch(1);

  @Nullable Link dialed;
  @Nullable Link accepted;

  /** Links whose threads still run. */
  int liveLinks;

  /** Null while the pair is intact. */
  @Nullable String brokenReason;

  LinkPair(long incarnation, @Nullable LinkPair before) {
    this.incarnation = incarnation;
    this.previous = before == null || before.lossReported.getCount() == 0 ? null : before;
  }

  void end(String reason, boolean sendReason) {
    if (brokenReason != null) {
      return;
    }
    brokenReason = reason;
    for (Link link : new @Nullable Link[] {dialed, accepted}) {
      if (link != null) {
        link.end(reason, sendReason);
      }
    }
  }
}
