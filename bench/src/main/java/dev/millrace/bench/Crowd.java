package dev.millrace.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Many callers at once, each on a virtual thread of its own. */
final class Crowd implements AutoCloseable {

  /** What a caller does, once or for as long as it likes. */
  @FunctionalInterface
  interface Turn {
    void take(Caller caller) throws IOException;
  }

  private final List<Caller> callers;

  Crowd(List<Caller> callers) {
    this.callers = List.copyOf(callers);
  }

  static Crowd open(String kind, Host host, int count) throws IOException {
    return new Crowd(Caller.open(kind, host, count));
  }

  /** Turns a second, where the callers take {@code times} of them together. */
  double perSecond(int times, Turn turn) throws Exception {
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
  void each(Turn turn) throws IOException, InterruptedException {
    AtomicReference<Exception> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (Caller caller : callers) {
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
    for (Caller caller : callers) {
      caller.close();
    }
  }
}
