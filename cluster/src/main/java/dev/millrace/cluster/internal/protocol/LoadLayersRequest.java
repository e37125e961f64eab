package dev.millrace.cluster.internal.protocol;

import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.FieldChecks;

/**
 * Layers [from, to) of a model that an origin wants a node to hold.
 *
 * @param fileBytes of the whole file, for who has to fetch it
 * @param bytes of the weights, as the origin counts them
 */
public record LoadLayersRequest(
    String sha256, String model, int from, int to, long fileBytes, long bytes) {
  public LoadLayersRequest {
    FieldChecks.layers("an assignment", from, to, ClusterProtocol.MAX_LAYERS);
    FieldChecks.notNegative("an assignment", fileBytes, bytes);
  }
}
