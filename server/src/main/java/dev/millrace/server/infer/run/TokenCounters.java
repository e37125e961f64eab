package dev.millrace.server.infer.run;

import dev.millrace.engine.api.GenerationResult;
import java.util.concurrent.atomic.LongAdder;

/** What was computed since the start. Thread-safe. */
public final class TokenCounters {
  public final LongAdder promptTokens = new LongAdder();
  public final LongAdder cachedTokens = new LongAdder();
  public final LongAdder generatedTokens = new LongAdder();
  public final LongAdder embeddedTokens = new LongAdder();

  /**
   * @param prior tokens that it went on from
   */
  void count(GenerationResult result, int prior) {
    promptTokens.add(result.usage().promptTokens());
    cachedTokens.add(result.usage().cachedTokens());
    generatedTokens.add(Math.max(0, result.tokens().length - prior));
  }
}
