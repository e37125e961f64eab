package dev.millrace.server.infer.shelf;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two models with memory for one: how long which one is lent. */
@Timeout(30)
class ModelSwitchTest {
  private static final long SECOND = 1_000_000_000L;

  private final List<String> history = new CopyOnWriteArrayList<>();
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5 * SECOND); // it may overflow
  private final NamedItem a = new NamedItem("a");
  private final NamedItem b = new NamedItem("b");
  private final ModelShelf shelf =
      new ModelShelf(
          new ModelMemoryBudget(100, 0),
          Duration.ofHours(1),
          ModelSwitchBounds.usual(),
          clock::get);

  private final class NamedItem implements ShelfItemLoader<NamedItem>, ShelfItem {
    private final String name;

    NamedItem(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public long bytes() {
      return 60;
    }

    @Override
    public NamedItem load() {
      history.add("+" + name);
      return this;
    }

    @Override
    public void close() {
      history.add("-" + name);
    }
  }

  private static ModelLease<NamedItem> granted(ModelRequest<NamedItem> request)
      throws InterruptedException {
    return request.await().orElseThrow();
  }

  private static boolean isWaiting(ModelRequest<NamedItem> request) throws InterruptedException {
    return !request.isDoneWithin(Duration.ZERO);
  }

  private void step(long nanos) {
    clock.addAndGet(nanos);
    shelf.serveOverdue();
  }

  @Test
  void aModelInUseIsLentWhileAnotherWaitsForItsBound() throws InterruptedException {
    ModelLease<NamedItem> first = granted(shelf.request(a));
    ModelRequest<NamedItem> other = shelf.request(b);
    step(30 * SECOND - 1);
    ModelLease<NamedItem> second = granted(shelf.request(a));
    first.close();
    assertThat(isWaiting(other)).isTrue();
    step(1);
    ModelRequest<NamedItem> late = shelf.request(a);
    assertThat(isWaiting(late)).as("it is lent no more").isTrue();
    assertThat(isWaiting(other)).as("a task still uses it").isTrue();
    second.close();
    granted(other).close();
    granted(late).close();
    assertThat(history).containsExactly("+a", "-a", "+b", "-b", "+a");
  }

  @Test
  void anInteractiveRequestWaitsForLessTimeAndOvertakes() throws InterruptedException {
    ModelLease<NamedItem> running = granted(shelf.request(a));
    ModelRequest<NamedItem> queued = shelf.request(b);
    ModelRequest<NamedItem> asked = shelf.request(b, true);
    step(2 * SECOND - 1);
    granted(shelf.request(a)).close();
    step(1);
    ModelRequest<NamedItem> late = shelf.request(a);
    assertThat(isWaiting(late)).isTrue();
    running.close();
    granted(asked).close();
    granted(queued).close();
    granted(late).close();
    assertThat(history)
        .as("one switch serves all that wait for a model")
        .containsExactly("+a", "-a", "+b", "-b", "+a");
  }

  @Test
  void aModelThatNobodyUsesMakesRoomAtOnce() throws InterruptedException {
    granted(shelf.request(a)).close();
    granted(shelf.request(b)).close();
    ModelLease<NamedItem> running = granted(shelf.request(b));
    ModelRequest<NamedItem> next = shelf.request(a);
    assertThat(isWaiting(next)).isTrue();
    running.close();
    granted(next).close();
    assertThat(history).containsExactly("+a", "-a", "+b", "-b", "+a");
  }

  @Test
  void twoModelsInConstantDemandTakeTurns() throws InterruptedException {
    ModelLease<NamedItem> running = granted(shelf.request(a));
    for (int turn = 0; turn < 4; turn++) {
      NamedItem inUse = turn % 2 == 0 ? a : b;
      ModelRequest<NamedItem> other = shelf.request(turn % 2 == 0 ? b : a);
      for (int second = 0; second < 29; second++) {
        step(SECOND);
        ModelLease<NamedItem> next = granted(shelf.request(inUse));
        running.close();
        running = next;
      }
      step(SECOND);
      running.close();
      running = granted(other);
    }
    running.close();
    assertThat(history).containsExactly("+a", "-a", "+b", "-b", "+a", "-a", "+b", "-b", "+a");
  }
}
