package dev.millrace.server.infer;

import dev.millrace.engine.wheel.Result;
import java.util.concurrent.atomic.LongAdder;

/** What was computed since the start. Thread-safe. */
final class Figures {
  final LongAdder promptTokens = new LongAdder();
  final LongAdder cachedTokens = new LongAdder();
  final LongAdder generatedTokens = new LongAdder();
  final LongAdder embeddedTokens = new LongAdder();

  /**
   * @param prior tokens that it went on from
   */
  void count(Result result, int prior) {
    promptTokens.add(result.usage().promptTokens());
    cachedTokens.add(result.usage().cachedTokens());
    generatedTokens.add(Math.max(0, result.tokens().length - prior));
  }
}
