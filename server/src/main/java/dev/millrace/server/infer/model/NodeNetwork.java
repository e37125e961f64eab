package dev.millrace.server.infer.model;

import java.util.List;

/**
 * The network of a model with layers at other nodes, as this server knows it.
 *
 * @param nodes all members, this server included, by name
 * @param pipes of all servers in the network that have a model's end
 */
public record NodeNetwork(List<Node> nodes, List<Pipe> pipes, Audits audits) {
  public NodeNetwork {
    nodes = List.copyOf(nodes);
    pipes = List.copyOf(pipes);
  }

  /**
   * A member.
   *
   * @param memoryBytes that layers and caches may take; 0 if it accepts no requests for layers
   * @param usedBytes of these that are taken
   * @param cacheBytes reserved for keys and values
   * @param sessions pipes through it that are open
   * @param passages sequences in its cache
   * @param numerics the version of the arithmetic that all models share
   * @param weightNumerics the versions of weight formats, such as {@code q8_0=1+2}; empty if all
   *     are at version 1
   */
  public record Node(
      String name,
      String address,
      long memoryBytes,
      long usedBytes,
      long cacheBytes,
      int sessions,
      int passages,
      int protocol,
      int numerics,
      String weightNumerics,
      List<Holding> holdings,
      List<EndModel> originOf) {
    public Node {
      holdings = List.copyOf(holdings);
      originOf = List.copyOf(originOf);
    }
  }

  /**
   * Layers that a node holds or is loading.
   *
   * @param layers of the whole model; 0 while unknown
   * @param state fetching, loading, loaded or failed
   * @param bytesPerSecond of weights, in a step of one token; 0 before it was measured
   * @param problem why loading failed, or the progress of a fetch; else empty
   */
  public record Holding(
      String model,
      String sha256,
      Layers range,
      int layers,
      String state,
      long bytes,
      long bytesPerSecond,
      String problem) {}

  /** Layers from the first to the last, both included. */
  public record Layers(int first, int last) {}

  /**
   * A model whose end is at a node.
   *
   * @param localLayers that the same node computes
   */
  public record EndModel(String model, int layers, int localLayers) {}

  /**
   * A pipeline through nodes that serves a model.
   *
   * @param origin the node with the model's end
   * @param number at its origin, from 0
   * @param waitReason why it does not run; empty while it runs
   * @param running sequences in it
   * @param stretches who computes which layers, in order
   * @param missing layers that nobody holds or loads
   */
  public record Pipe(
      String model,
      String sha256,
      String origin,
      int layers,
      int number,
      String waitReason,
      int running,
      double tokensPerSecond,
      List<Stretch> stretches,
      List<Layers> missing) {
    public Pipe {
      stretches = List.copyOf(stretches);
      missing = List.copyOf(missing);
    }

    public boolean ready() {
      return waitReason.isEmpty();
    }
  }

  /** Layers that one node computes. */
  public record Stretch(String node, Layers range) {}

  /**
   * What this server's audits of other nodes found.
   *
   * @param rate the share of sequences that are audited, 0 to 1
   * @param expelled names of nodes that returned wrong results
   */
  public record Audits(double rate, long passed, long failed, List<String> expelled) {
    public Audits {
      expelled = List.copyOf(expelled);
    }
  }
}
