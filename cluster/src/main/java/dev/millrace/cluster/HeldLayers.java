package dev.millrace.cluster;


/**
 * Layers [from, to) of a model that a node has, or is getting.
 *
 * @param sha256 of the model's file: what it is known by
 * @param model the name its file has there, for people
 * @param layers how many the model has; 0 before that is known
 * @param idle placed there by an origin and used by no session: its bytes are as good as free
 * @param bytes of its weights
 * @param speed bytes of weights that a step of one row passes in a second, measured; 0 before that
 * @param problem why it could not be loaded, or how far it is while it is fetched; else empty
 */
public record HeldLayers(
    String sha256,
    String model,
    int layers,
    int from,
    int to,
    State state,
    boolean idle,
    long bytes,
    double speed,
    String problem) {
  public HeldLayers {
    FieldChecks.notNegative("a holding", layers, from, to, bytes);
    if (state != State.FAILED) {
      FieldChecks.layers("a holding", from, to, layers == 0 ? ClusterProtocol.MAX_LAYERS : layers);
    }
    FieldChecks.rate("a holding", speed);
  }

  /** How far it is. */
  public enum State {
    FETCHING,
    LOADING,
    LOADED,
    FAILED
  }
}
