package dev.millrace.cluster.member;

/**
 * Layers [from, to) of a model that an origin wants a node to hold.
 *
 * @param fileBytes of the whole file, for who has to fetch it
 * @param bytes of the weights, as the origin counts them
 */
public record Assignment(
    String sha256, String model, int from, int to, long fileBytes, long bytes) {
  public Assignment {
    Sense.layers("an assignment", from, to, Codec.MAX_LAYERS);
    Sense.notNegative("an assignment", fileBytes, bytes);
  }
}
