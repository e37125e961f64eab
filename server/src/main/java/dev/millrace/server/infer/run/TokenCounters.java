package dev.millrace.server.infer.run;

import dev.millrace.engine.api.GenerationResult;
import java.util.concurrent.atomic.LongAdder;

/** Counts the tokens that were processed since the start. Thread-safe. */
public final class TokenCounters {
  private final LongAdder prompt = new LongAdder();
  private final LongAdder cached = new LongAdder();
  private final LongAdder generated = new LongAdder();
  private final LongAdder embedded = new LongAdder();

  /**
   * Counts a generation that ended.
   *
   * @param prior tokens of earlier attempts that it resumed from
   */
  public void countGenerated(GenerationResult result, int prior) {
    prompt.add(result.usage().promptTokens());
    cached.add(result.usage().cachedTokens());
    generated.add(Math.max(0, result.tokens().length - prior));
  }

  public void countEmbedded(int tokens) {
    embedded.add(tokens);
  }

  public long promptTokens() {
    return prompt.sum();
  }

  /** Prompt tokens that were found in the KV cache. */
  public long cachedTokens() {
    return cached.sum();
  }

  public long generatedTokens() {
    return generated.sum();
  }

  public long embeddedTokens() {
    return embedded.sum();
  }
}
