package dev.millrace.cluster.internal.layers;

/** Gets weights: found, fetched and loaded by another thread, while this one computes. */
@FunctionalInterface
public interface LayerSource {
  /** What becomes of it; told by any thread. */
  interface Listener {
    /** How much of the file is here, in words. */
    void fetching(String progress);

    /** The file is here. */
    void loading();

    /** Takes the weights. */
    void loaded(String sha256, LoadedLayers weights);

    /** Why not, in words. */
    void failed(String problem);
  }

  void fetch(LayerEntry held, Listener report);
}
