package dev.millrace.core.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that close the store from inside, as a watcher does. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreFenceTest {
  private final StoreFence fence = new StoreFence(Threading.SYSTEM);

  @Test
  void aCallThatHasClosedTheStoreMakesNoFurtherOnes() {
    fence.run(
        () -> {
          fence.run(fence::close);
          assertThatThrownBy(() -> fence.run(() -> {})).isInstanceOf(StoreException.Closed.class);
          assertThatThrownBy(fence::requireNotClosedByCaller)
              .isInstanceOf(StoreException.Closed.class);
          fence.runIfOpen(() -> assertThat(true).as("it is closed").isFalse());
        });
    assertThatThrownBy(() -> fence.run(() -> {})).isInstanceOf(StoreException.Closed.class);
    fence.requireNotClosedByCaller(); // it is inside no call
  }

  @Test
  void aCallUnderWayWhileAnotherThreadClosesMakesFurtherOnes() throws Exception {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    fence.run(
        () -> {
          Thread.startVirtualThread(
              () -> {
                fence.close();
                closed.complete(null);
              });
          while (!fence.isClosed()) {
            Thread.onSpinWait();
          }
          fence.run(fence::requireNotClosedByCaller);
          assertThat(closed).isNotDone();
        });
    closed.get(30, TimeUnit.SECONDS);
  }

  @Test
  void twoCallsThatCloseTheStoreDoNotWaitForEachOther() throws Exception {
    CountDownLatch inside = new CountDownLatch(2);
    Runnable closing =
        () ->
            fence.run(
                () -> {
                  inside.countDown();
                  await(inside);
                  fence.close();
                });
    CompletableFuture<Void> one = CompletableFuture.runAsync(closing, Thread::startVirtualThread);
    CompletableFuture<Void> other = CompletableFuture.runAsync(closing, Thread::startVirtualThread);
    one.get(30, TimeUnit.SECONDS);
    other.get(30, TimeUnit.SECONDS);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
