package dev.millrace.engine.pipe;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a node remembers of the passages whose keys and values it holds: how many positions. A step
 * that begins below that truncates, one that begins above it is refused, because what it builds on
 * is not here.
 */
final class Fence {
  private final Map<Long, Integer> lengths = new HashMap<>();

  /** Null where the step may be done; else why not. */
  @Nullable String check(Group group) {
    for (int run = 0; run < group.size(); run++) {
      Traveller traveller = group.traveller(run);
      int length = lengths.getOrDefault(traveller.passage(), traveller.base());
      int first = group.firstPosition(run);
      if (first > length) {
        return "passage %d: a step from position %d on, but %d positions are here"
            .formatted(traveller.passage(), first, length);
      }
    }
    return null;
  }

  /** The steps of the group are done: so far the positions reach, whatever was beyond them. */
  void done(Group group) {
    for (int run = 0; run < group.size(); run++) {
      lengths.put(
          group.traveller(run).passage(), group.firstPosition(run) + group.batch.rowCount[run]);
    }
  }

  /** A step that broke off may have overwritten what follows its first position. */
  void brokenOff(Group group) {
    for (int run = 0; run < group.size(); run++) {
      lengths.put(group.traveller(run).passage(), group.firstPosition(run));
    }
  }

  void forget(long passage) {
    lengths.remove(passage);
  }

  int size() {
    return lengths.size();
  }
}
