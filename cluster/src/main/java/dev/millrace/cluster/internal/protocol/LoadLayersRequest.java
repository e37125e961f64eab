package dev.millrace.cluster.internal.protocol;

import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.FieldChecks;

/**
 * Layers [from, to) of a model that an origin asks a node to load.
 *
 * @param fileBytes of the whole file, for a node that has to fetch it
 * @param bytes of the weights, as the origin counts them
 */
public record LoadLayersRequest(
    String sha256, String model, int from, int to, long fileBytes, long bytes) {
  public LoadLayersRequest {
    FieldChecks.layers("a request", from, to, ClusterProtocol.MAX_LAYERS);
    FieldChecks.notNegative("a request", fileBytes, bytes);
  }
}
