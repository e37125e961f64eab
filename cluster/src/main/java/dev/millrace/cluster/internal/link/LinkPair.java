package dev.millrace.cluster.internal.link;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * What holds two nodes together for as long as nothing is lost between them: the link that we
 * dialled, the one that the other dialled, or both. With one of them the whole bond breaks, its
 * loss is told once, and a later link begins another bond. Guarded by its {@link LinkedNode}.
 */
final class LinkPair {
  final long incarnation;

  /** The one that broke before, until its loss was told. */
  @Nullable LinkPair previous;

  /** Opens when the loss was told. */
  final CountDownLatch lossReported = new CountDownLatch(1);

  @Nullable Link dialled;
  @Nullable Link accepted;

  /** Links whose threads have not ended. */
  int liveLinks;

  /** Null for as long as it holds. */
  @Nullable String brokenReason;

  LinkPair(long incarnation, @Nullable LinkPair before) {
    this.incarnation = incarnation;
    this.previous = before == null || before.lossReported.getCount() == 0 ? null : before;
  }

  void end(String why, boolean tell) {
    if (brokenReason != null) {
      return;
    }
    brokenReason = why;
    for (Link link : new @Nullable Link[] {dialled, accepted}) {
      if (link != null) {
        link.end(why, tell);
      }
    }
  }
}
