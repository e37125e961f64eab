package dev.millrace.engine.internal.wheel;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves waiting sequences into the pipes: the first in the queue goes into the pipe that runs the
 * fewest sequences, or if that has no room into the next. No sequence overtakes the first, with one
 * exception that keeps the others alive under any number of interactive ones, which come first:
 *
 * <ul>
 *   <li>An eighth of all slots, and one at least, stays with the others: interactive sequences take
 *       more only if no other waits.
 *   <li>If fewer of the others run, one of them is next after each interactive sequence.
 * </ul>
 *
 * <p>An interactive sequence that finds no room preempts others, the one with the weakest claim
 * first, as long as that eighth keeps running. Where that leaves none (there is only one slot, or
 * the pages are few) and no interactive sequence runs, it preempts those that have made progress
 * since their admission. Sequences in flight at other nodes are not preempted.
 */
final class AdmissionRouter {
  /** The part of the slots that stays with sequences that are not interactive. */
  private static final int KEPT_PART = 8;

  private final WaitQueue queue;
  private final List<PipeAdmission> pipes;

  /** Whether the next to be admitted is a sequence that is not interactive, if any waits. */
  private boolean othersAreNext;

  /**
   * @param pipes 64 at most
   */
  AdmissionRouter(WaitQueue queue, List<PipeAdmission> pipes) {
    this.queue = queue;
    this.pipes = pipes;
  }

  /** Of that many slots, those that stay with sequences that are not interactive. */
  static int keptSlots(int slots) {
    return Math.max(1, slots / KEPT_PART);
  }

  /** Admits as many as there is room for; returns whether it admitted any. */
  boolean admit() {
    for (int i = 0; i < pipes.size(); i++) {
      pipes.get(i).advanceFollowers();
    }
    boolean any = false;
    Sequence next = next();
    while (next != null && (admit(next) || preemptFor(next))) {
      noteAdmission(next);
      any = true;
      next = next();
    }
    return any;
  }

  private @Nullable Sequence next() {
    Sequence first = queue.first();
    if (first == null || !first.isInteractive()) {
      return first;
    }
    Sequence other = queue.firstNotInteractive();
    return other == null || !othersComeFirst() ? first : other;
  }

  private boolean othersComeFirst() {
    int slots = slots();
    return othersAreNext || (slots > 1 && running(true) >= slots - keptSlots(slots));
  }

  private void noteAdmission(Sequence admitted) {
    othersAreNext =
        admitted.isInteractive()
            && queue.firstNotInteractive() != null
            && running(false) < keptSlots(slots());
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

  /** Admits an interactive sequence in the place of others, if it may take it. */
  private boolean preemptFor(Sequence sequence) {
    if (!sequence.isInteractive()) {
      return false;
    }
    int others = running(false);
    int spare = others - keptSlots(slots());
    return preemptFor(sequence, spare, false)
        || (running(true) == 0 && preemptFor(sequence, others, true));
  }

  private boolean preemptFor(Sequence sequence, int most, boolean progressed) {
    PipeAdmission best = null;
    List<Sequence> victims = List.of();
    for (PipeAdmission pipe : pipes) {
      List<Sequence> found = pipe.findVictims(sequence, most, progressed);
      if (!found.isEmpty() && (best == null || isBetter(found, victims))) {
        best = pipe;
        victims = found;
      }
    }
    if (best == null) {
      return false;
    }
    victims.forEach(best::preempt);
    return best.admit(sequence);
  }

  /** Whether to preempt these rather than those: fewer, or with a weaker claim. */
  private static boolean isBetter(List<Sequence> these, List<Sequence> those) {
    return these.size() == those.size()
        ? those.getFirst().isBefore(these.getFirst())
        : these.size() < those.size();
  }

  private int slots() {
    int slots = 0;
    for (int i = 0; i < pipes.size(); i++) {
      slots += pipes.get(i).slots();
    }
    return slots;
  }

  private int running(boolean interactive) {
    int running = 0;
    for (int i = 0; i < pipes.size(); i++) {
      int ahead = pipes.get(i).interactiveCount();
      running += interactive ? ahead : pipes.get(i).admitted().size() - ahead;
    }
    return running;
  }
}
