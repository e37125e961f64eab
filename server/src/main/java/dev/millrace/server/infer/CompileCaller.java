package dev.millrace.server.infer;

import dev.millrace.server.internal.compile.CompilePool;

/**
 * For whom schemas, grammars and tools are compiled. Callers take turns, so that one with many
 * requests does not keep the others waiting.
 */
public final class CompileCaller {
  private CompileCaller() {}

  /**
   * Does what a caller asked for. What this thread has compiled meanwhile waits for the caller's
   * turns; other work has turns of its own.
   *
   * @param name such as that of an API key
   */
  public static <T, X extends Throwable> T call(
      String name, ScopedValue.CallableOp<? extends T, X> request) throws X {
    return CompilePool.callFor(name, request);
  }

  /** The work for another thread, which goes on for the caller of this one. */
  public static Runnable carried(Runnable work) {
    return CompilePool.forSameCaller(work);
  }
}
