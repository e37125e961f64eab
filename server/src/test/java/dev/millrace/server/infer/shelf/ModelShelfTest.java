package dev.millrace.server.infer.shelf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which model is loaded when, with models that are only names. */
@Timeout(30)
class ModelShelfTest {
  private final List<String> history = new CopyOnWriteArrayList<>();
  private final AtomicLong clock = new AtomicLong();
  private final Word a = new Word("a", 60);
  private final Word b = new Word("b", 60);
  private final Word c = new Word("c", 40);
  private final ModelShelf shelf =
      new ModelShelf(
          new ModelMemoryBudget(100, 0),
          Duration.ofNanos(1000),
          ModelSwitchBounds.NONE,
          clock::get);

  private final class Word implements ShelfItemLoader<Word>, ShelfItem {
    private final String name;
    private final long bytes;
    private RuntimeException trouble = new RuntimeException();
    private boolean troubled;
    private Runnable closing = () -> {};

    Word(String name, long bytes) {
      this.name = name;
      this.bytes = bytes;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public Word load() {
      if (troubled) {
        throw trouble;
      }
      history.add("+" + name);
      return this;
    }

    @Override
    public void close() {
      history.add("-" + name);
      closing.run();
    }
  }

  /**
   * Repeats because the last load may not be finished: models are loaded and unloaded one at a
   * time.
   */
  private void unloadIdleUntilOneIsUnloaded() {
    int before = shelf.loaded().size();
    while (shelf.loaded().size() == before) {
      shelf.unloadIdle();
    }
  }

  private ModelLease<Word> lease(Word word) throws InterruptedException {
    return shelf.request(word).await().orElseThrow();
  }

  @Test
  void aModelIsLoadedOnceForAllRequests() throws InterruptedException {
    try (ModelLease<Word> one = lease(a);
        ModelLease<Word> two = lease(a)) {
      assertThat(one.item()).isSameAs(two.item());
    }
    lease(a).close();
    assertThat(history).containsExactly("+a");
  }

  @Test
  void theLeastRecentlyUsedModelIsUnloaded() throws InterruptedException {
    lease(c).close();
    clock.addAndGet(10);
    lease(a).close();
    clock.addAndGet(10);
    lease(c).close();
    clock.addAndGet(10);
    lease(b).close();
    assertThat(history).containsExactly("+c", "+a", "-a", "+b");
  }

  @Test
  void aRequestThatWaitsForMemoryIsNotOvertaken() throws InterruptedException {
    ModelLease<Word> running = lease(a);
    ModelRequest<Word> first = shelf.request(b);
    ModelRequest<Word> late = shelf.request(a);
    running.close();
    first.await().orElseThrow().close();
    late.await().orElseThrow().close();
    assertThat(history)
        .as("a is not lent while b waits")
        .containsExactly("+a", "-a", "+b", "-b", "+a");
  }

  @Test
  void aLoadedModelServesAllWaitingRequests() throws InterruptedException {
    ModelLease<Word> running = lease(a);
    List<ModelRequest<Word>> forB = new ArrayList<>();
    List<ModelRequest<Word>> forA = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      forB.add(shelf.request(b));
      forA.add(shelf.request(a));
    }
    running.close();
    for (ModelRequest<Word> request : forB) {
      request.await().orElseThrow().close();
    }
    for (ModelRequest<Word> request : forA) {
      request.await().orElseThrow().close();
    }
    assertThat(history).containsExactly("+a", "-a", "+b", "-b", "+a");
  }

  @Test
  void aCancelledRequestBlocksNoOther() throws InterruptedException {
    ModelLease<Word> running = lease(a);
    ModelRequest<Word> first = shelf.request(b);
    ModelRequest<Word> late = shelf.request(a);
    first.cancel();
    assertThat(first.await()).isEmpty();
    late.await().orElseThrow().close();
    running.close();
    assertThat(history).containsExactly("+a");
  }

  @Test
  void anInterruptedRequestLeavesTheQueue() throws InterruptedException {
    ModelLease<Word> running = lease(a);
    Thread waiter =
        Thread.ofVirtual()
            .start(
                () ->
                    assertThatThrownBy(() -> shelf.request(b).await())
                        .isInstanceOf(InterruptedException.class));
    waiter.interrupt();
    waiter.join();
    lease(a).close();
    running.close();
    assertThat(history).containsExactly("+a");
  }

  @Test
  void modelsThatFitTogetherStayLoaded() throws InterruptedException {
    try (ModelLease<Word> one = lease(a);
        ModelLease<Word> two = lease(c)) {
      assertThat(one.item().bytes + two.item().bytes).isEqualTo(100);
    }
    assertThat(history).containsExactly("+a", "+c");
  }

  @Test
  void anIdleModelIsUnloadedAndLoadedAgain() throws InterruptedException {
    ModelLease<Word> lent = lease(a);
    clock.addAndGet(5000);
    shelf.unloadIdle();
    assertThat(shelf.loaded()).as("it is in use").containsExactly(a);
    lent.close();
    clock.addAndGet(999);
    shelf.unloadIdle();
    assertThat(shelf.loaded()).as("not idle for long enough").containsExactly(a);
    clock.addAndGet(1);
    unloadIdleUntilOneIsUnloaded();
    assertThat(shelf.loaded()).isEmpty();
    lease(a).close();
    assertThat(history).containsExactly("+a", "-a", "+a");
  }

  @Test
  void aBrokenModelIsLoadedAgainAfterAllLeasesAreClosed() throws InterruptedException {
    ModelLease<Word> one = lease(a);
    ModelLease<Word> two = lease(a);
    one.markBroken();
    ModelRequest<Word> next = shelf.request(a);
    one.close();
    two.close();
    next.await().orElseThrow().close();
    assertThat(history).containsExactly("+a", "-a", "+a");
  }

  @Test
  void aFailedLoadIsReportedToAllWaitingRequestsAndRetried() throws InterruptedException {
    b.troubled = true;
    b.trouble = new IllegalStateException("no such file");
    assertThatThrownBy(() -> lease(b))
        .isInstanceOf(ModelLoadException.class)
        .hasMessage("model \"b\" cannot be loaded: no such file");
    b.troubled = false;
    lease(b).close();
    assertThat(history).containsExactly("+b");
  }

  @Test
  void aRequestIsServedEvenIfAnotherModelFailsToClose() throws InterruptedException {
    a.closing =
        () -> {
          throw new AssertionError("its memory was not ours");
        };
    lease(a).close();
    lease(b).close();
    a.closing = () -> {};
    lease(a).close();
    assertThat(history).containsExactly("+a", "-a", "+b", "-b", "+a");
  }

  @Test
  void aModelBeingUnloadedCountsAsUnloaded() throws InterruptedException {
    CountDownLatch leaving = new CountDownLatch(1);
    a.closing = () -> awaitUninterruptibly(leaving);
    lease(a).close();
    clock.addAndGet(500);
    lease(c).close();
    clock.addAndGet(500);
    unloadIdleUntilOneIsUnloaded(); // a has been idle for long enough, and takes its time
    ModelRequest<Word> request = shelf.request(b);
    leaving.countDown();
    request.await().orElseThrow().close();
    assertThat(history).as("c may stay").containsExactly("+a", "+c", "-a", "+b");
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aClosedShelfGrantsNoRequestAndUnloadsAll() throws InterruptedException {
    ModelLease<Word> lent = lease(a);
    ModelRequest<Word> waits = shelf.request(b);
    shelf.close();
    assertThatThrownBy(waits::await).isInstanceOf(ModelLoadException.class);
    assertThatThrownBy(() -> shelf.request(c).await()).isInstanceOf(ModelLoadException.class);
    assertThat(history).containsExactly("+a", "-a");
    lent.close();
  }

  @Test
  void manyThreadsNeverExceedTheBudgetNorStarve() throws InterruptedException {
    int threads = 40;
    AtomicInteger served = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(threads);
    List<Throwable> troubles = new CopyOnWriteArrayList<>();
    for (int t = 0; t < threads; t++) {
      Word wanted = List.of(a, b, c).get(t % 3);
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  for (int i = 0; i < 50; i++) {
                    try (ModelLease<Word> lease = lease(wanted)) {
                      served.incrementAndGet();
                      assertThat(lease.item()).isSameAs(wanted);
                      Thread.yield();
                    }
                  }
                } catch (Throwable e) {
                  troubles.add(e);
                } finally {
                  done.countDown();
                }
              });
    }
    done.await();
    assertThat(troubles).isEmpty();
    assertThat(served).hasValue(threads * 50);
    assertThat(mostBytes()).isLessThanOrEqualTo(100);
  }

  private long mostBytes() {
    long now = 0;
    long most = 0;
    for (String move : history) {
      long bytes = move.endsWith("c") ? 40 : 60;
      now += move.startsWith("+") ? bytes : -bytes;
      most = Math.max(most, now);
    }
    return most;
  }
}
