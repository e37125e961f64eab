package dev.millrace.cluster.member;

import java.util.List;

/**
 * A model that an origin wants pipes for.
 *
 * @param layerBytes of the weights of each layer, in its file
 * @param cacheBytes that the keys and values of one layer take for one session of the origin
 * @param local the origin has the layers [0, local) itself
 */
public record ModelNeed(
    String sha256,
    String model,
    long fileBytes,
    List<Long> layerBytes,
    long cacheBytes,
    int local) {
  public ModelNeed {
    layerBytes = List.copyOf(layerBytes);
    Sense.layers("a need", 0, layerBytes.size(), Codec.MAX_LAYERS);
    Sense.notNegative("a need", fileBytes, cacheBytes, local, layerBytes.size() - local);
    layerBytes.forEach(bytes -> Sense.notNegative("a need", bytes));
  }

  public int layers() {
    return layerBytes.size();
  }
}
