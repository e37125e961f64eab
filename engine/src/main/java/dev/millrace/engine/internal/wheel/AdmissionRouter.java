package dev.millrace.engine.internal.wheel;

import java.util.List;

/**
 * Moves waiting sequences into the pipes: the first in the queue goes into the pipe that runs the
 * fewest sequences, or if that has no room into the next. No sequence overtakes the first.
 */
final class AdmissionRouter {
  private final WaitQueue queue;
  private final List<PipeAdmission> pipes;

  /**
   * @param pipes 64 at most
   */
  AdmissionRouter(WaitQueue queue, List<PipeAdmission> pipes) {
    this.queue = queue;
    this.pipes = pipes;
  }

  /** Admits as many as there is room for; returns whether it admitted any. */
  boolean admit() {
    for (int i = 0; i < pipes.size(); i++) {
      pipes.get(i).advanceFollowers();
    }
    List<Sequence> waiting = queue.waiting();
    boolean any = false;
    while (!waiting.isEmpty() && admit(waiting.getFirst())) {
      any = true;
    }
    return any;
  }

  private boolean admit(Sequence sequence) {
    long tried = 0; // a bit for each pipe
    int pipe = fewest(tried);
    while (pipe >= 0 && !pipes.get(pipe).admit(sequence)) {
      tried |= 1L << pipe;
      pipe = fewest(tried);
    }
    return pipe >= 0;
  }

  /** The pipe with a plan and a free slot that runs the fewest sequences; -1 if all were tried. */
  private int fewest(long tried) {
    int fewest = -1;
    int least = Integer.MAX_VALUE;
    for (int i = 0; i < pipes.size(); i++) {
      int runs = pipes.get(i).admitted().size();
      if ((tried >>> i & 1) == 0 && runs < least && pipes.get(i).hasFreeSlot()) {
        fewest = i;
        least = runs;
      }
    }
    return fewest;
  }
}
