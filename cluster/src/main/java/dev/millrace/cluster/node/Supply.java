package dev.millrace.cluster.node;

/** Gets weights: found, fetched and loaded by another thread, while this one computes. */
@FunctionalInterface
interface Supply {
  /** What becomes of it; told by any thread. */
  interface Report {
    /** How much of the file is here, in words. */
    void fetching(String progress);

    /** The file is here. */
    void loading();

    /** Takes the weights. */
    void loaded(String sha256, Weights weights);

    /** Why not, in words. */
    void failed(String problem);
  }

  void get(Held held, Report report);
}
