package dev.millrace.cluster;

/**
 * Layers [from, to) of a model that a node holds or is loading.
 *
 * @param sha256 of the model's file, which identifies the model
 * @param model its name on that node, for people
 * @param layers of the whole model; 0 while unknown
 * @param idle loaded for an origin and used by no session: its memory can be freed
 * @param bytes of the weights
 * @param speed measured bytes of weights per second in a step of one row; 0 before the first
 *     measurement
 * @param problem why loading failed, or the progress of a fetch; else empty
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
    FieldChecks.notNegative("held layers", layers, from, to, bytes);
    if (state != State.FAILED) {
      FieldChecks.layers(
          "held layers", from, to, layers == 0 ? ClusterProtocol.MAX_LAYERS : layers);
    }
    FieldChecks.rate("held layers", speed);
  }

  /** The progress of loading. */
  public enum State {
    FETCHING,
    LOADING,
    LOADED,
    FAILED
  }
}
