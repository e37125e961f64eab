package dev.millrace.bench.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Many callers at once, each on a virtual thread of its own. */
public final class ClientPool implements AutoCloseable {

  /** What a caller does, once or for as long as it likes. */
  @FunctionalInterface
  public interface Action {
    void take(BenchClient caller) throws IOException;
  }

  private final List<BenchClient> callers;

  ClientPool(List<BenchClient> callers) {
    this.callers = List.copyOf(callers);
  }

  public static ClientPool open(String kind, BenchServer host, int count) throws IOException {
    return new ClientPool(BenchClient.open(kind, host, count));
  }

  /** Turns a second, where the callers take {@code times} of them together. */
  public double perSecond(int times, Action turn) throws Exception {
    AtomicInteger left = new AtomicInteger(times);
    long start = System.nanoTime();
    each(
        caller -> {
          while (left.decrementAndGet() >= 0) {
            turn.take(caller);
          }
        });
    return times * 1e9 / (System.nanoTime() - start);
  }

  /**
   * Returns when each has done it.
   *
   * @throws IOException the first failure; the others go on to their end
   */
  public void each(Action turn) throws IOException, InterruptedException {
    AtomicReference<Exception> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (BenchClient caller : callers) {
      threads.add(
          Thread.startVirtualThread(
              () -> {
                try {
                  turn.take(caller);
                } catch (IOException | RuntimeException e) {
                  failure.compareAndSet(null, e);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new IOException("a request failed: " + failure.get(), failure.get());
    }
  }

  @Override
  public void close() throws IOException {
    for (BenchClient caller : callers) {
      caller.close();
    }
  }
}
