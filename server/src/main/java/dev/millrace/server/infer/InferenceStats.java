package dev.millrace.server.infer;

import dev.millrace.server.infer.model.RemoteModelOpener;
import java.util.List;
import java.util.Map;

/**
 * What inference has done since its start, and does.
 *
 * @param promptTokens of generations that ended
 * @param cachedTokens of these, how many had not to be computed
 * @param generatedTokens of generations that ended
 * @param embeddedTokens of texts that became vectors
 * @param running sequences that the wheels hold
 * @param waiting sequences that wait for a place
 * @param served names of all models that can be used, the default first; one whose layers are with
 *     others is served from the moment that all were there for the first time
 * @param loaded names of models
 * @param wheels one for each loaded model that generates
 * @param spread models whose layers are with others
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
    List<ModelStats> models,
    List<RemoteModelStatus> remoteModels) {

  /**
   * A model whose layers are with others.
   *
   * @param ready whether all of them are there now
   * @param waiting what is missing, in words; empty when it is ready
   * @param figures of {@link RemoteModelOpener#metrics}
   */
  public record RemoteModelStatus(
      String model, boolean ready, String waitReason, Map<String, Double> metrics) {}

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
  public record ModelStats(
      String model,
      int slots,
      int running,
      int waiting,
      long batches,
      long batchTokens,
      long preemptions,
      int pagesUsed,
      int pagesCached,
      int pagesFree) {}
}
