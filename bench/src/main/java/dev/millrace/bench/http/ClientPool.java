package dev.millrace.bench.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Many clients at once, each on its own virtual thread. */
public final class ClientPool implements AutoCloseable {

  /** What a client does. */
  @FunctionalInterface
  public interface Action {
    void take(BenchClient client) throws IOException;
  }

  private final List<BenchClient> clients;

  ClientPool(List<BenchClient> clients) {
    this.clients = List.copyOf(clients);
  }

  public static ClientPool open(String kind, BenchServer host, int count) throws IOException {
    return new ClientPool(BenchClient.open(kind, host, count));
  }

  /** Turns per second; all clients together take {@code times} turns. */
  public double perSecond(int times, Action turn) throws Exception {
    AtomicInteger left = new AtomicInteger(times);
    long start = System.nanoTime();
    each(
        client -> {
          while (left.decrementAndGet() >= 0) {
            turn.take(client);
          }
        });
    return times * 1e9 / (System.nanoTime() - start);
  }

  /**
   * Returns when all clients are done.
   *
   * @throws IOException the first failure, after the others have finished
   */
  public void each(Action turn) throws IOException, InterruptedException {
    AtomicReference<Exception> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (BenchClient client : clients) {
      threads.add(
          Thread.startVirtualThread(
              () -> {
                try {
                  turn.take(client);
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
    for (BenchClient client : clients) {
      client.close();
    }
  }
}
