package dev.millrace.engine.internal.tensor;

import dev.millrace.engine.internal.thread.EngineThreads;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The pool of threads that compute. A parallel loop is cut into parts that may run at the same
 * time, in any order, on any thread: the result of a part never depends on its thread. Loops are
 * objects that are made once and kept, so that a batch allocates nothing.
 *
 * <p>A token has a hundred loops of a few microseconds each, so a thread spins while it waits for
 * the next one, and sleeps only if none has come for a while.
 */
public final class ComputePool implements AutoCloseable {

  /** A computation in parts. Parts write to disjoint memory. */
  @FunctionalInterface
  public interface ParallelLoop {
    /**
     * @param part in [0, parts)
     * @param worker which thread of the pool runs it, in [0, {@link #threads}): names scratch space
     */
    void run(int part, int worker);
  }

  /** The most parts of a loop. */
  public static final int MAX_PARTS = 1 << 20;

  /** About a tenth of a millisecond: longer than the pauses between loops of a batch. */
  private static final int SPINS = 20_000;

  /** How long the owner spins for the others' last parts before it lets other threads run. */
  private static final int PATIENCE = 2_000;

  private final int threads;
  private final Thread[] workers;
  private final WorkerScratch[] scratch;

  /** For each worker, whether it sleeps or is about to. */
  private final AtomicInteger[] asleep;

  /**
   * Which part is next: (generation, parts, next part) in one word, so that a thread that is late
   * can never take a part of a loop that it has not seen. The loop itself cannot change while a
   * part that was taken is not finished.
   */
  private final AtomicLong ticket = new AtomicLong();

  private final AtomicInteger unfinished = new AtomicInteger();
  private @Nullable ParallelLoop section;
  private volatile @Nullable Throwable failure;
  private volatile boolean closed;

  public ComputePool(int threads) {
    if (threads < 1 || threads > 1024) {
      throw new IllegalArgumentException("a compute pool has 1 to 1024 threads, not " + threads);
    }
    this.threads = threads;
    scratch = new WorkerScratch[threads];
    Arrays.setAll(scratch, i -> new WorkerScratch());
    workers = new Thread[threads - 1];
    asleep = new AtomicInteger[threads - 1];
    for (int i = 0; i < workers.length; i++) {
      int worker = i;
      asleep[i] = new AtomicInteger();
      workers[i] =
          EngineThreads.service("millrace-crew-" + (worker + 1)).start(() -> serve(worker));
    }
  }

  public int threads() {
    return threads;
  }

  /** The scratch memory of this worker. */
  public WorkerScratch scratch(int worker) {
    return scratch[worker];
  }

  /**
   * Runs all parts and returns when all are done. Only the thread that owns the pool calls it, and
   * it computes too.
   */
  public void run(int parts, ParallelLoop work) {
    if (parts < 1) {
      return;
    }
    if (parts >= MAX_PARTS) {
      throw new IllegalArgumentException(parts + " parts are more than " + (MAX_PARTS - 1));
    }
    section = work;
    unfinished.set(parts);
    long generation = (ticket.get() >>> 40) + 1;
    ticket.set(generation << 40 | (long) parts << 20);
    wake(parts - 1);
    take(0);
    for (int spins = 0; unfinished.get() > 0; spins++) {
      if (spins < PATIENCE) {
        Thread.onSpinWait();
      } else {
        Thread.yield(); // the thread with the last part may be waiting for this very processor
      }
    }
    Throwable thrown = failure;
    if (thrown != null) {
      failure = null;
      throw new IllegalStateException("a part of a computation failed: " + thrown, thrown);
    }
  }

  private void wake(int useful) {
    for (int i = 0; i < workers.length && i < useful; i++) {
      if (asleep[i].get() != 0) {
        LockSupport.unpark(workers[i]);
      }
    }
  }

  /** Takes parts until none is left. */
  private void take(int worker) {
    while (true) {
      long seen = ticket.get();
      int part = (int) (seen & MAX_PARTS - 1);
      int parts = (int) (seen >>> 20 & MAX_PARTS - 1);
      if (part >= parts) {
        return;
      }
      if (ticket.compareAndSet(seen, seen + 1)) {
        runPart(part, worker);
      }
    }
  }

  private void runPart(int part, int worker) {
    try {
      ParallelLoop work = section;
      assert work != null;
      work.run(part, worker);
    } catch (Throwable e) {
      failure = e;
    } finally {
      unfinished.decrementAndGet();
    }
  }

  private boolean hasPart() {
    long seen = ticket.get();
    return (seen & MAX_PARTS - 1) < (seen >>> 20 & MAX_PARTS - 1);
  }

  private void serve(int index) {
    while (!closed) {
      int spins = 0;
      while (!hasPart() && ++spins < SPINS) {
        Thread.onSpinWait();
      }
      if (spins == SPINS) {
        asleep[index].set(1);
        while (!hasPart() && !closed) {
          LockSupport.park(this);
        }
        asleep[index].set(0);
      }
      take(index + 1);
    }
  }

  /** Ends the threads. */
  @Override
  public void close() {
    closed = true;
    for (Thread worker : workers) {
      LockSupport.unpark(worker);
    }
  }
}
