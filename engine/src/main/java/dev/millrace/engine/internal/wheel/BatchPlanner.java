package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.internal.pipe.SequenceGroup;
import dev.millrace.engine.internal.wheel.WheelCounters.Counter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plans a batch: one token of every sequence that decodes, and chunks of prompts. While any
 * sequence decodes, the chunks together are bounded, and so is the time that it waits. Prompts
 * share the rows evenly, and unused rows go to the others; with less than one row for each, they
 * take turns. A sequence that follows another gives its share to its leader. Prompts of interactive
 * sequences are urgent: they get their rows first, without that bound; the others keep a few rows.
 *
 * <p>With several batches in flight, each takes its part of the decoding sequences and of the
 * prompts, those that waited longest first. So every batch has something to do, and no sequence is
 * left behind. Consecutive chunks of a prompt may be in flight together; they are short then, so
 * that all nodes work on it soon.
 */
final class BatchPlanner {
  /** The part of the bounded rows that stays with prompts that are not urgent. */
  private static final int KEPT_PART = 8;

  /** An urgent prompt is picked as if it had waited for so many turns more. */
  private static final int HEAD_START = 8;

  private final WheelSettings settings;
  private final PipeAdmission admission;
  private final WheelCounters counters;
  private final Sequence[] decodes;
  private final Sequence[] prompts;
  private final int[] chunks;
  private int first; // the prompt that is first in the next batch
  private int longest; // chunk of the batch that is being planned

  BatchPlanner(WheelSettings settings, PipeAdmission admission, WheelCounters counters) {
    this.settings = settings;
    this.admission = admission;
    this.counters = counters;
    decodes = new Sequence[settings.maxSequences()];
    prompts = new Sequence[settings.maxSequences()];
    chunks = new int[settings.maxSequences()];
  }

  /**
   * Adds the next steps of the sequences to the empty group: all of them, or a part if {@code
   * flights} groups are to be in flight at the same time.
   */
  void fill(SequenceGroup group, int flights) {
    longest = flights == 1 ? settings.maxRows() : settings.prefillRows();
    int decoding = decodes(flights);
    for (int i = 0; i < decoding; i++) {
      add(group, decodes[i], 1);
      decodes[i] = null;
    }
    int filled = prompts(settings.maxRows() - decoding, flights);
    for (int i = 0; i < filled; i++) {
      if (chunks[i] > 0) {
        add(group, prompts[i], chunks[i]);
      }
      prompts[i] = null;
    }
    counters.add(Counter.DECODE_TOKENS, decoding);
    counters.add(Counter.PREFILL_TOKENS, group.batch.rows - decoding);
  }

  private static void add(SequenceGroup group, Sequence sequence, int count) {
    int from = sequence.plan(count);
    group.add(sequence, from, count, sequence.unplanned() > 0);
    sequence.lastTurn = group.id();
  }

  /**
   * From the strongest claim on pages down: a sequence that needs a page takes it from those with
   * weaker claims, which are not planned yet.
   */
  private int decodes(int flights) {
    List<Sequence> admitted = admission.admitted();
    pick(admitted, true, flights);
    int count = 0;
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admission.byPageClaim(i);
      // a preemption removes the last ones, so those before keep their position
      if (sequence.picked && admission.extend(sequence)) {
        decodes[count++] = sequence;
      }
    }
    return count;
  }

  /** Divides the rows between prompts; returns the number of prompts. */
  private int prompts(int room, int flights) {
    List<Sequence> admitted = admission.admitted();
    share(admitted);
    int all = pick(admitted, false, flights);
    int urgent = collect(admitted, true, 0);
    int count = collect(admitted, false, urgent);
    if (count > 0) {
      boolean mixed = urgent > 0 && urgent < count;
      int kept = mixed ? Math.clamp(settings.prefillRows() / KEPT_PART, 1, room - 1) : 0;
      int used = shareOut(room - kept, 0, urgent);
      boolean bounded = count(admitted, true) > 0;
      int bound = Math.max(1, settings.prefillRows() * count / all);
      int left = bounded ? Math.min(room - used, Math.max(kept, bound - used)) : room - used;
      shareOut(left, urgent, count);
    }
    first++;
    return count;
  }

  /** Adds the picked prompts of a kind to the {@code count} found so far; returns their number. */
  private int collect(List<Sequence> admitted, boolean urgent, int count) {
    int end = count;
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admitted.get(i);
      if (sequence.picked && sequence.urgent == urgent) {
        chunks[end] = 0;
        prompts[end++] = sequence;
      }
    }
    return end;
  }

  /** Divides rows between the prompts [from, to); returns how many they use. */
  private int shareOut(int rows, int from, int to) {
    int shares = 0;
    for (int i = from; i < to; i++) {
      shares += prompts[i].shares;
    }
    int share = Math.max(1, rows / Math.max(1, shares));
    int left = rows;
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < to - from && left > 0; i++) {
        int at = from + Math.floorMod(first + i, to - from);
        int more = Math.min(left, Math.min(longest, prompts[at].unplanned()) - chunks[at]);
        more = pass == 0 ? Math.min(more, share * prompts[at].shares) : more;
        chunks[at] += more;
        left -= more;
      }
    }
    return rows - left;
  }

  /**
   * Picks a flight's part of the decoding sequences, or of the prompts; returns the number of all.
   */
  private static int pick(List<Sequence> admitted, boolean decoding, int flights) {
    int all = count(admitted, decoding);
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admitted.get(i);
      sequence.picked = flights == 1 && sequence.mayBePlanned() && isDue(sequence, decoding);
    }
    int part = flights == 1 ? 0 : Math.ceilDiv(all, flights);
    for (int i = 0; i < part; i++) {
      Sequence next = longestLeftOut(admitted, decoding);
      if (next != null) {
        next.picked = true;
      }
    }
    return all;
  }

  /** The next sequence that may be planned and is not picked yet; null if there is none. */
  private static @Nullable Sequence longestLeftOut(List<Sequence> admitted, boolean decoding) {
    Sequence longest = null;
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admitted.get(i);
      boolean may = sequence.mayBePlanned() && !sequence.picked && isDue(sequence, decoding);
      if (may && (longest == null || since(sequence, decoding) < since(longest, decoding))) {
        longest = sequence;
      }
    }
    return longest;
  }

  private static long since(Sequence sequence, boolean decoding) {
    return sequence.lastTurn - (sequence.urgent && !decoding ? HEAD_START : 0);
  }

  /** Counts also those in flight. */
  private static int count(List<Sequence> admitted, boolean decoding) {
    int count = 0;
    for (int i = 0; i < admitted.size(); i++) {
      count += isDue(admitted.get(i), decoding) ? 1 : 0;
    }
    return count;
  }

  private static boolean isDue(Sequence sequence, boolean decoding) {
    return sequence.leader == null && sequence.isDecoding() == decoding;
  }

  /** One share each; a follower's share goes to the head of its chain. */
  private static void share(List<Sequence> admitted) {
    for (int i = 0; i < admitted.size(); i++) {
      admitted.get(i).shares = 1;
      admitted.get(i).urgent = admitted.get(i).isInteractive();
    }
    for (int i = 0; i < admitted.size(); i++) {
      Sequence head = admitted.get(i);
      while (head.leader != null) {
        head = head.leader;
      }
      head.shares += head == admitted.get(i) ? 0 : 1;
      head.urgent |= admitted.get(i).isInteractive();
    }
  }
}
