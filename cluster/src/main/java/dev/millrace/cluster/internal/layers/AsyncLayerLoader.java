package dev.millrace.cluster.internal.layers;

/** Finds, fetches and loads layers on another thread, while the compute thread works. */
@FunctionalInterface
public interface AsyncLayerLoader {
  /** Progress and result; called by any thread. */
  interface Listener {
    /** The progress of the fetch, as text. */
    void fetching(String progress);

    /** The file is here; loading starts. */
    void loading();

    /** The layers are loaded; the listener owns them. */
    void loaded(String sha256, LoadedLayers weights);

    /** Why it failed, as text. */
    void failed(String problem);
  }

  void fetch(LayerEntry entry, Listener listener);
}
