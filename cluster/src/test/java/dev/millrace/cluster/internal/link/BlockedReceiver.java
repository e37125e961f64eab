package dev.millrace.cluster.internal.link;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A receiver that takes no message before it is released. */
final class BlockedReceiver implements MessageReceiver {
  /** The session numbers of the messages that it has taken. */
  final List<Long> taken = new CopyOnWriteArrayList<>();

  private final CountDownLatch released = new CountDownLatch(1);

  void release() {
    released.countDown();
  }

  @Override
  public void received(String from, NodeMessage message) {
    try {
      released.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    taken.add(message.session());
  }

  @Override
  public void lost(String node, String why) {}
}
