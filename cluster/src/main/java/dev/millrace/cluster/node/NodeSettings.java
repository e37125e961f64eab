package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.NetworkSettings;
import dev.millrace.engine.tensor.Kernels;
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
    List<Layers> layers,
    long memory,
    int threads,
    Kernels kernels,
    int maxSessions,
    List<Path> modelPlaces,
    Path cache) {
  /** What {@code maxSessions} usually is. */
  public static final int USUAL_SESSIONS = 16;

  public NodeSettings {
    layers = List.copyOf(layers);
    modelPlaces = List.copyOf(modelPlaces);
    if (memory < 0) {
      throw new ClusterException("a node's memory is %d bytes: give 0 or more".formatted(memory));
    }
    if (threads < 1 || threads > 1024) {
      throw new ClusterException("%d threads: give 1 to 1024".formatted(threads));
    }
    if (maxSessions < 1 || maxSessions > 1024) {
      throw new ClusterException("%d sessions at most: give 1 to 1024".formatted(maxSessions));
    }
    if (layers.isEmpty() && memory == 0) {
      throw new ClusterException(
          "this node would hold nothing: tell it which layers of which file, or how much memory"
              + " it may use for layers that origins ask for");
    }
  }
}
