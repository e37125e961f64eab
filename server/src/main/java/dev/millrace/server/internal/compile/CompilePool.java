package dev.millrace.server.internal.compile;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.engine.internal.budget.CompileBudget;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Threads that compile, and nothing else. A request's own thread only waits: it can be interrupted at
 * any time, and as a virtual thread it does not occupy a carrier, which all requests share. The
 * number of threads bounds the memory of all compilations at the same time.
 */
public final class CompilePool {
  private static final int THREADS = Math.max(4, Runtime.getRuntime().availableProcessors());

  private static final ThreadPoolExecutor POOL =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          10,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          MonitoredThreads.work().name("millrace-compile-", 0).factory());

  static {
    POOL.allowCoreThreadTimeOut(true);
  }

  private CompilePool() {}

  /** Compiles later, within a budget. To cancel it with an interrupt ends it soon. */
  public static <T> Future<T> submit(CompileBudget budget, Supplier<T> work) {
    return POOL.submit(() -> budget.call(work));
  }

  /**
   * Compiles within a budget, and waits for that. An interrupt ends both.
   *
   * @throws RuntimeException what the work throws
   */
  public static <T> T compile(CompileBudget budget, Supplier<T> work) throws InterruptedException {
    Future<T> result = submit(budget, work);
    try {
      return result.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException problem -> throw problem;
        case Error error -> throw error;
        case null, default -> throw new IllegalStateException("compiling ended with " + e, e);
      }
    } finally {
      result.cancel(true); // of no effect once it has ended
    }
  }
}
