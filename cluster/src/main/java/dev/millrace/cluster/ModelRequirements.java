package dev.millrace.cluster;

import java.util.List;

/**
 * A model that an origin needs pipes for, and the memory that its layers take.
 *
 * @param layerBytes of the weights of each layer, in its file
 * @param cacheBytes of the keys and values of one layer in one session
 * @param local the origin computes the layers [0, local) itself
 */
public record ModelRequirements(
    String sha256,
    String model,
    long fileBytes,
    List<Long> layerBytes,
    long cacheBytes,
    int local) {
  public ModelRequirements {
    layerBytes = List.copyOf(layerBytes);
    FieldChecks.layers("a model", 0, layerBytes.size(), ClusterProtocol.MAX_LAYERS);
    FieldChecks.notNegative("a model", fileBytes, cacheBytes, local, layerBytes.size() - local);
    layerBytes.forEach(bytes -> FieldChecks.notNegative("a model", bytes));
  }

  public int layers() {
    return layerBytes.size();
  }
}
