package dev.millrace.cluster;

import dev.millrace.engine.api.KernelType;
import java.nio.file.Path;
import java.util.List;

/**
 * Settings of a node that holds layers.
 *
 * @param layers held from start to stop
 * @param memory what weights and caches may take
 * @param threads compute threads
 * @param maxSessions open at once
 * @param modelPaths files and directories with models that origins may request
 * @param cacheDirectory directory for models that are fetched from peers
 */
public record NodeSettings(
    NetworkSettings network,
    List<ConfiguredLayers> layers,
    NodeMemory memory,
    int threads,
    KernelType kernels,
    int maxSessions,
    List<Path> modelPaths,
    Path cacheDirectory) {
  /** Default of {@code maxSessions}. */
  public static final int DEFAULT_MAX_SESSIONS = 16;

  public NodeSettings {
    layers = List.copyOf(layers);
    modelPaths = List.copyOf(modelPaths);
    if (threads < 1 || threads > 1024) {
      throw new ClusterException("%d threads: give 1 to 1024".formatted(threads));
    }
    if (maxSessions < 1 || maxSessions > 1024) {
      throw new ClusterException("%d sessions at most: give 1 to 1024".formatted(maxSessions));
    }
    if (layers.isEmpty() && !memory.forRequests()) {
      throw new ClusterException(
          "this node would hold nothing: name the layers of a file, or give it memory"
              + " for layers that origins request");
    }
  }
}
