package dev.millrace.cluster;

import java.util.List;

/**
 * A model that an origin wants pipes for.
 *
 * @param layerBytes of the weights of each layer, in its file
 * @param cacheBytes that the keys and values of one layer take for one session of the origin
 * @param local the origin has the layers [0, local) itself
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
    FieldChecks.layers("a need", 0, layerBytes.size(), ClusterProtocol.MAX_LAYERS);
    FieldChecks.notNegative("a need", fileBytes, cacheBytes, local, layerBytes.size() - local);
    layerBytes.forEach(bytes -> FieldChecks.notNegative("a need", bytes));
  }

  public int layers() {
    return layerBytes.size();
  }
}
