package dev.millrace.cluster;

import dev.millrace.engine.api.KernelType;
import java.nio.file.Path;
import java.util.List;

/**
 * What a node is and may use.
 *
 * @param layers that it holds from its start to its end
 * @param memory bytes that weights and caches may take; 0: it takes no layers but {@code layers},
 *     and no limit but the machine's
 * @param threads that compute
 * @param maxSessions that may be open at once
 * @param modelPlaces files and directories with models that origins may ask for
 * @param cache directory for models that are fetched from peers
 */
public record NodeSettings(
    NetworkSettings network,
    List<ConfiguredLayers> layers,
    long memoryBytes,
    int threads,
    KernelType kernels,
    int maxSessions,
    List<Path> modelPaths,
    Path cacheDirectory) {
  /** What {@code maxSessions} usually is. */
  public static final int DEFAULT_MAX_SESSIONS = 16;

  public NodeSettings {
    layers = List.copyOf(layers);
    modelPaths = List.copyOf(modelPaths);
    if (memoryBytes < 0) {
      throw new ClusterException(
          "a node's memory is %d bytes: give 0 or more".formatted(memoryBytes));
    }
    if (threads < 1 || threads > 1024) {
      throw new ClusterException("%d threads: give 1 to 1024".formatted(threads));
    }
    if (maxSessions < 1 || maxSessions > 1024) {
      throw new ClusterException("%d sessions at most: give 1 to 1024".formatted(maxSessions));
    }
    if (layers.isEmpty() && memoryBytes == 0) {
      throw new ClusterException(
          "this node would hold nothing: tell it which layers of which file, or how much memory"
              + " it may use for layers that origins ask for");
    }
  }
}
