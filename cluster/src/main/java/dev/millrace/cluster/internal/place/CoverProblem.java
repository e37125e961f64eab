package dev.millrace.cluster.internal.place;

import java.util.List;

/**
 * What is to be covered, and by whom: the layers of some pipes, and windows of nodes that can take
 * a stretch each.
 *
 * @param sums bytes of the weights before each layer, and of all; one more than there are layers
 * @param next of each layer, itself or the first one after it that is to be covered
 * @param cache bytes that a layer takes beside its weights, where it is not there yet
 * @param pipes how many times all of it is to be covered, by different nodes
 */
record CoverProblem(
    long[] sums, int[] next, long cache, int pipes, List<Node> workers, List<Window> windows) {

  /**
   * A node that can take layers.
   *
   * @param speed bytes of weights in a second
   * @param load bytes that it has to pass anyway
   * @param memory for layers that it takes; {@link Long#MAX_VALUE} where they are there already
   */
  record Node(String name, double speed, double load, long memory) {}

  /** Out of the layers [from, to) a worker can take one stretch. */
  record Window(int worker, int from, int to) {}

  /** The layers that a worker takes out of a window, in one of the pipes. */
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

  /** What layers take in the memory of a node that does not have them. */
  long memory(int from, int to) {
    return bytes(from, to) + (to - from) * cache;
  }

  /** How far a stretch can go, with so many bytes to pass and so much memory. */
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

  /** Bytes of all that is to be covered, once. */
  long bytesToCover() {
    long all = 0;
    for (int layer = next[0]; layer < layers(); layer = next[layer + 1]) {
      all += bytes(layer, layer + 1);
    }
    return all;
  }

  /** How long the slowest worker of these steps takes, in seconds. */
  double slowest(List<Step> steps) {
    double[] load = loads(steps);
    double slowest = 0;
    for (Step step : steps) {
      int worker = step.window().worker();
      slowest = Math.max(slowest, load[worker] / workers.get(worker).speed());
    }
    return slowest;
  }

  double[] loads(List<Step> steps) {
    double[] load = workers.stream().mapToDouble(Node::load).toArray();
    for (Step step : steps) {
      load[step.window().worker()] += bytes(step.from(), step.to());
    }
    return load;
  }
}
