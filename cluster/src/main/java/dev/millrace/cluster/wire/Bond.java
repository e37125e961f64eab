package dev.millrace.cluster.wire;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * What holds two nodes together for as long as nothing is lost between them: the link that we
 * dialled, the one that the other dialled, or both. With one of them the whole bond breaks, its
 * loss is told once, and a later link begins another bond. Guarded by its {@link Peer}.
 */
final class Bond {
  final long incarnation;

  /** The one that broke before, until its loss was told. */
  @Nullable Bond before;

  /** Opens when the loss was told. */
  final CountDownLatch told = new CountDownLatch(1);

  @Nullable Link dialled;
  @Nullable Link taken;

  /** Links whose threads have not ended. */
  int alive;

  /** Null for as long as it holds. */
  @Nullable String broken;

  Bond(long incarnation, @Nullable Bond before) {
    this.incarnation = incarnation;
    this.before = before == null || before.told.getCount() == 0 ? null : before;
  }

  void breakUp(String why, boolean tell) {
    if (broken != null) {
      return;
    }
    broken = why;
    for (Link link : new @Nullable Link[] {dialled, taken}) {
      if (link != null) {
        link.end(why, tell);
      }
    }
  }
}
