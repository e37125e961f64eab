package dev.millrace.server.infer;

import java.util.List;

/**
 * What inference has done since its start, and does.
 *
 * @param promptTokens of generations that ended
 * @param cachedTokens of these, how many had not to be computed
 * @param generatedTokens of generations that ended
 * @param embeddedTokens of texts that became vectors
 * @param running sequences that the wheels hold
 * @param waiting sequences that wait for a place
 * @param served names of all models, the default first
 * @param loaded names of models
 * @param wheels one for each loaded model that generates
 */
public record InferenceStats(
    long promptTokens,
    long cachedTokens,
    long generatedTokens,
    long embeddedTokens,
    int running,
    int waiting,
    List<String> served,
    List<String> loaded,
    List<Wheel> wheels) {

  /**
   * What one loaded model that generates does.
   *
   * @param slots sequences that it can hold
   * @param running sequences that it holds
   * @param waiting sequences that wait for a place
   * @param turns in which a batch was run, since it was loaded
   * @param rows tokens in these batches
   * @param pagesUsed of its cache of keys and values, by sequences that run
   * @param pagesCached held for prompts that begin the same
   */
  public record Wheel(
      String model,
      int slots,
      int running,
      int waiting,
      long turns,
      long rows,
      long preemptions,
      int pagesUsed,
      int pagesCached,
      int pagesFree) {}
}
