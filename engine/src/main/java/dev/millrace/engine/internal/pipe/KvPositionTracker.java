package dev.millrace.engine.internal.pipe;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tracks for each passage how many positions of keys and values a node holds, for each layer where
 * steps arrive: consecutive chunks of a prompt may be at several of them at the same time. A step
 * that begins below that truncates; one that begins above it is rejected, because the positions
 * before it are missing. Groups arrive in the order in which the origin sent them; a repeated or
 * late group is rejected too, because its pages may belong to another sequence by now.
 */
final class KvPositionTracker {
  private final int pages;
  private final Map<Integer, Arrivals> arrivals = new HashMap<>(); // by layer

  /** What has arrived for a layer. */
  private static final class Arrivals {
    private final Map<Long, Integer> lengths = new HashMap<>(); // by passage
    private long latest = Long.MIN_VALUE; // group
  }

  /** @param pages the number of pages of this node */
  KvPositionTracker(int pages) {
    this.pages = pages;
  }

  /** Accepts a step and returns null, or returns why it is rejected. */
  @Nullable String check(SequenceGroup group, int layer) {
    Arrivals here = at(layer);
    if (group.id() <= here.latest) {
      return "group %d came after group %d".formatted(group.id(), here.latest);
    }
    for (int run = 0; run < group.size(); run++) {
      String refusal = check(group, run, group.sequence(run), here.lengths);
      if (refusal != null) {
        return refusal;
      }
    }
    here.latest = group.id();
    return null;
  }

  private Arrivals at(int layer) {
    return arrivals.computeIfAbsent(layer, l -> new Arrivals());
  }

  private @Nullable String check(
      SequenceGroup group, int run, PipeSequence sequence, Map<Long, Integer> lengths) {
    int length = lengths.getOrDefault(sequence.passage(), sequence.base());
    int first = group.firstPosition(run);
    if (first > length) {
      return "passage %d: a step from position %d on, but %d positions are here"
          .formatted(sequence.passage(), first, length);
    }
    for (int i = 0; i < KvPageSize.countFor(first + group.batch.rowCount[run]); i++) {
      if (group.batch.pages[run][i] >= pages) {
        return "passage %d: a step in page %d, but there are %d pages here"
            .formatted(sequence.passage(), group.batch.pages[run][i], pages);
      }
    }
    // each passage has a page of its own; as many again may have ended without the message having
    // arrived
    boolean known = lengths.containsKey(sequence.passage());
    return known || lengths.size() / 2 < pages
        ? null
        : "%d passages, but there are %d pages here".formatted(lengths.size(), pages);
  }

  /** The steps of the group are done: its positions are valid, and none beyond them. */
  void recordDone(SequenceGroup group, int layer) {
    Map<Long, Integer> lengths = at(layer).lengths;
    for (int run = 0; run < group.size(); run++) {
      lengths.put(
          group.sequence(run).passage(), group.firstPosition(run) + group.batch.rowCount[run]);
    }
  }

  /** A failed step may have overwritten everything from its first position on. */
  void recordAborted(SequenceGroup group, int layer) {
    Map<Long, Integer> lengths = at(layer).lengths;
    for (int run = 0; run < group.size(); run++) {
      lengths.put(group.sequence(run).passage(), group.firstPosition(run));
    }
  }

  void forget(long passage) {
    arrivals.values().forEach(here -> here.lengths.remove(passage));
  }

  /** A new plan begins: nothing from the old one is valid. */
  void clear() {
    arrivals.clear();
  }

  /** The number of passages. */
  int size() {
    return (int)
        arrivals.values().stream()
            .flatMap(here -> here.lengths.keySet().stream())
            .distinct()
            .count();
  }
}
