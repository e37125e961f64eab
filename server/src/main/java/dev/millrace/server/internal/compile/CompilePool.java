package dev.millrace.server.internal.compile;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.engine.internal.budget.CompileBudget;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Threads that compile, and nothing else. A request's own thread only waits: it can be interrupted at
 * any time, and as a virtual thread it does not occupy a carrier, which all requests share. The
 * number of threads bounds the memory of all compilations at the same time. A caller has at most
 * half of them, so that its requests do not keep those of others waiting.
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

  private static final CallerTurns TURNS = new CallerTurns(POOL, THREADS / 2);

  /** The caller of what no request waits for: the tasks of the queue. No key has such a name. */
  private static final String TASKS = "";

  private static final ScopedValue<String> CALLER = ScopedValue.newInstance();

  static {
    POOL.allowCoreThreadTimeOut(true);
  }

  private CompilePool() {}

  /** Does what a caller asked for: what this thread compiles meanwhile waits for its turns. */
  public static <T, X extends Throwable> T callFor(
      String caller, ScopedValue.CallableOp<? extends T, X> request) throws X {
    return ScopedValue.where(CALLER, caller).call(request);
  }

  /** The work for another thread, which goes on for the caller of this one. */
  public static Runnable forSameCaller(Runnable work) {
    if (!CALLER.isBound()) {
      return work;
    }
    String caller = CALLER.get();
    return () -> ScopedValue.where(CALLER, caller).run(work);
  }

  /** Compiles later, within a budget. To cancel it with an interrupt ends it soon. */
  public static <T> Future<T> submit(CompileBudget budget, Supplier<T> work) {
    FutureTask<T> task = new FutureTask<>(() -> budget.call(work));
    TURNS.execute(CALLER.isBound() ? CALLER.get() : TASKS, task);
    return task;
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
