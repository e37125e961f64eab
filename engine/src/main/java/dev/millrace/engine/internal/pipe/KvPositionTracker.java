package dev.millrace.engine.internal.pipe;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a node remembers of the passages whose keys and values it holds: how many positions. A step
 * that begins below that truncates, one that begins above it is refused, because what it builds on
 * is not here. Groups come in the order in which the origin sent them; one that came before, or
 * whose successors did, is refused too, because its pages may be others' by now.
 */
final class KvPositionTracker {
  private final int pages;
  private final Map<Long, Integer> lengths = new HashMap<>();
  private final Map<Integer, Long> latest = new HashMap<>(); // layer -> group

  /**
   * @param pages that this node has
   */
  KvPositionTracker(int pages) {
    this.pages = pages;
  }

  /** Null where the step may be done, which it is then; else why not. */
  @Nullable String check(SequenceGroup group, int layer) {
    long last = latest.getOrDefault(layer, Long.MIN_VALUE);
    if (group.id() <= last) {
      return "group %d came after group %d".formatted(group.id(), last);
    }
    for (int run = 0; run < group.size(); run++) {
      String refusal = check(group, run, group.sequence(run));
      if (refusal != null) {
        return refusal;
      }
    }
    latest.put(layer, group.id());
    return null;
  }

  private @Nullable String check(SequenceGroup group, int run, PipeSequence traveller) {
    int length = lengths.getOrDefault(traveller.passage(), traveller.base());
    int first = group.firstPosition(run);
    if (first > length) {
      return "passage %d: a step from position %d on, but %d positions are here"
          .formatted(traveller.passage(), first, length);
    }
    for (int i = 0; i < KvPages.countFor(first + group.batch.rowCount[run]); i++) {
      if (traveller.pages()[i] >= pages) {
        return "passage %d: a step in page %d, but there are %d pages here"
            .formatted(traveller.passage(), traveller.pages()[i], pages);
      }
    }
    // each passage has a page of its own; as many again may be over, and the word is on its way
    boolean known = lengths.containsKey(traveller.passage());
    return known || lengths.size() / 2 < pages
        ? null
        : "%d passages, but there are %d pages here".formatted(lengths.size(), pages);
  }

  /** The steps of the group are done: so far the positions reach, whatever was beyond them. */
  void recordDone(SequenceGroup group) {
    for (int run = 0; run < group.size(); run++) {
      lengths.put(
          group.sequence(run).passage(), group.firstPosition(run) + group.batch.rowCount[run]);
    }
  }

  /** A step that broke off may have overwritten what follows its first position. */
  void recordAborted(SequenceGroup group) {
    for (int run = 0; run < group.size(); run++) {
      lengths.put(group.sequence(run).passage(), group.firstPosition(run));
    }
  }

  void forget(long passage) {
    lengths.remove(passage);
  }

  /** Another plan begins: nothing of the former counts. */
  void clear() {
    lengths.clear();
    latest.clear();
  }

  int size() {
    return lengths.size();
  }
}
