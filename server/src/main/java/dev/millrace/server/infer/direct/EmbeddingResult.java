package dev.millrace.server.infer.direct;

import java.util.List;

/**
 * The vectors of a request.
 *
 * @param model its full name
 * @param vectors one for each input, in their order
 * @param tokens of all inputs
 */
public record EmbeddingResult(String model, List<float[]> vectors, int tokens) {
  public EmbeddingResult {
    vectors = List.copyOf(vectors);
  }
}
