package dev.millrace.cluster;

/**
 * The memory of a node.
 *
 * @param bytes that weights and caches may take together
 * @param forRequests whether layers that origins request may take what the configured ones leave
 */
public record NodeMemory(long bytes, boolean forRequests) {
  public NodeMemory {
    if (bytes < 1) {
      throw new ClusterException("a node's memory is %d bytes: give 1 or more".formatted(bytes));
    }
  }

  /** For the configured layers and the caches of their sessions alone. */
  public static NodeMemory forConfiguredLayers(long bytes) {
    return new NodeMemory(bytes, false);
  }

  /** Also for layers that origins request. */
  public static NodeMemory forRequests(long bytes) {
    return new NodeMemory(bytes, true);
  }

  /** What origins may plan with: 0 if it accepts no requests. */
  public long offered() {
    return forRequests ? bytes : 0;
  }
}
