package dev.millrace.cluster.internal.place;

import java.util.List;

/**
 * The layers that some pipes must cover, and the nodes that can cover them. A window is a range of
 * layers; its node can take one stretch out of it.
 *
 * @param sums bytes of the weights before each layer, and of all; one more than there are layers
 * @param next for each layer, the next one that is to be covered, from itself on
 * @param cache bytes that a layer takes besides its weights on a node that has to load it
 * @param pipes how many times all layers are to be covered, by different nodes
 */
record CoverProblem(
    long[] sums, int[] next, long cache, int pipes, List<Node> nodes, List<Window> windows) {

  /**
   * A node that can take layers.
   *
   * @param speed bytes of weights per second
   * @param load bytes that it computes anyway
   * @param memory for layers that it loads; {@link Long#MAX_VALUE} if they are loaded
   */
  record Node(String name, double speed, double load, long memory) {}

  /** A node can take one stretch out of the layers [from, to). */
  record Window(int node, int from, int to) {}

  /** The stretch that a node takes out of a window, in one of the pipes. */
  record Step(int pipe, Window window, int from, int to) {
    Step cut(int newFrom, int newTo) {
      return new Step(pipe, window, newFrom, newTo);
    }
  }

  static long[] sums(List<Long> layerBytes) {
    long[] sums = new long[layerBytes.size() + 1];
    for (int i = 0; i < layerBytes.size(); i++) {
      sums[i + 1] = sums[i] + layerBytes.get(i);
    }
    return sums;
  }

  int layers() {
    return sums.length - 1;
  }

  long bytes(int from, int to) {
    return from >= to ? 0 : sums[to] - sums[from];
  }

  /** Memory of layers on a node that does not have them yet. */
  long memory(int from, int to) {
    return bytes(from, to) + (to - from) * cache;
  }

  /** The end of the longest stretch within so many bytes of weights and memory. */
  int maxEnd(int from, int to, double bytes, long memory) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (bytes(from, middle) <= bytes
          && (memory == Long.MAX_VALUE || memory(from, middle) <= memory)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Bytes of all layers to cover, once. */
  long bytesToCover() {
    long all = 0;
    for (int layer = next[0]; layer < layers(); layer = next[layer + 1]) {
      all += bytes(layer, layer + 1);
    }
    return all;
  }

  /** Seconds that the slowest node of these steps takes. */
  double slowest(List<Step> steps) {
    double[] load = loads(steps);
    double slowest = 0;
    for (Step step : steps) {
      int node = step.window().node();
      slowest = Math.max(slowest, load[node] / nodes.get(node).speed());
    }
    return slowest;
  }

  double[] loads(List<Step> steps) {
    double[] load = nodes.stream().mapToDouble(Node::load).toArray();
    for (Step step : steps) {
      load[step.window().node()] += bytes(step.from(), step.to());
    }
    return load;
  }
}
