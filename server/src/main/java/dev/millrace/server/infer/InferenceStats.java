package dev.millrace.server.infer;

import dev.millrace.server.infer.model.ModelStats;
import dev.millrace.server.infer.model.RemoteModelStatus;
import java.util.List;

/**
 * What inference has done since its start, and its models at this moment.
 *
 * @param served names of all models that tasks can use, the default first; a model with layers at
 *     other nodes is listed once all of them were available for the first time
 * @param loaded names of the models in memory
 * @param models one for each loaded model that generates
 * @param remoteModels the models whose layers are at other nodes
 */
public record InferenceStats(
    TokenTotals tokens,
    List<String> served,
    List<String> loaded,
    List<ModelStats> models,
    List<RemoteModelStatus> remoteModels) {

  /**
   * Tokens since the start.
   *
   * @param prompt tokens in the prompts of generations that ended
   * @param cached those of them that were found in the KV cache
   * @param generated tokens of generations that ended
   * @param embedded tokens of texts that became vectors
   */
  public record TokenTotals(long prompt, long cached, long generated, long embedded) {}
}
