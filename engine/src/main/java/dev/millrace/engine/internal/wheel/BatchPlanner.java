package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.internal.pipe.SequenceGroup;
import dev.millrace.engine.internal.wheel.WheelCounters.Counter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fills a turn: one token of every sequence that decodes, and chunks of prompts. While any decodes,
 * the chunks are bounded together, and so is the time that it waits. Prompts share what there is
 * evenly, what one leaves over goes to the others; where there is less than one row for each, they
 * take turns. One that follows another leaves its share to that one.
 *
 * <p>Where several batches fly at the same time, a turn takes its part of those that decode and its
 * part of the prompts, those first that were left out the longest, so that there is something for
 * every batch and nobody is left behind.
 */
final class BatchPlanner {
  private final WheelSettings settings;
  private final PipeAdmission admission;
  private final WheelCounters counters;
  private final Sequence[] decodes;
  private final Sequence[] prompts;
  private final int[] chunks;
  private int first; // whose turn it is among the prompts

  BatchPlanner(WheelSettings settings, PipeAdmission admission, WheelCounters counters) {
    this.settings = settings;
    this.admission = admission;
    this.counters = counters;
    decodes = new Sequence[settings.maxSequences()];
    prompts = new Sequence[settings.maxSequences()];
    chunks = new int[settings.maxSequences()];
  }

  /**
   * Puts the next steps of those that are at rest into the group, which is empty: of all of them,
   * or of a part, where {@code flights} groups are to fly at the same time.
   */
  void fill(SequenceGroup group, int flights) {
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
    group.add(sequence, sequence.computed(), count, count < sequence.remaining());
    sequence.lastTurn = group.id();
  }

  /**
   * From the strongest claim on: who gets a page takes it from those behind, who are not planned
   * yet.
   */
  private int decodes(int flights) {
    List<Sequence> admitted = admission.admitted();
    pick(admitted, true, flights);
    int count = 0;
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admitted.get(i);
      // a preemption takes out the last ones, so those before keep their places
      if (sequence.picked && admission.extend(sequence)) {
        decodes[count++] = sequence;
      }
    }
    return count;
  }

  /** Shares the rows out to prompts; gives how many prompts there are. */
  private int prompts(int room, int flights) {
    List<Sequence> admitted = admission.admitted();
    share(admitted);
    int all = pick(admitted, false, flights);
    int count = 0;
    int shares = 0;
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admitted.get(i);
      if (sequence.picked) {
        shares += sequence.shares;
        chunks[count] = 0;
        prompts[count++] = sequence;
      }
    }
    if (count > 0) {
      boolean bounded = count(admitted, true) > 0;
      int bound = Math.max(1, settings.prefillRows() * count / all);
      shareOut(bounded ? Math.min(room, bound) : room, count, shares);
    }
    first++;
    return count;
  }

  private void shareOut(int rows, int count, int shares) {
    int share = Math.max(1, rows / shares);
    int left = rows;
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < count && left > 0; i++) {
        int at = Math.floorMod(first + i, count);
        int more = Math.min(left, prompts[at].remaining() - chunks[at]);
        more = pass == 0 ? Math.min(more, share * prompts[at].shares) : more;
        chunks[at] += more;
        left -= more;
      }
    }
  }

  /** Picks a flight's part of those that decode, or of the prompts; gives how many there are. */
  private static int pick(List<Sequence> admitted, boolean decoding, int flights) {
    int all = count(admitted, decoding);
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admitted.get(i);
      sequence.picked = flights == 1 && !sequence.inFlight && isDue(sequence, decoding);
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

  /** Of those at rest that are not picked yet; null where there is none. */
  private static @Nullable Sequence longestLeftOut(List<Sequence> admitted, boolean decoding) {
    Sequence longest = null;
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admitted.get(i);
      boolean may = !sequence.inFlight && !sequence.picked && isDue(sequence, decoding);
      if (may && (longest == null || sequence.lastTurn < longest.lastTurn)) {
        longest = sequence;
      }
    }
    return longest;
  }

  /** Those that are away included. */
  private static int count(List<Sequence> admitted, boolean decoding) {
    int count = 0;
    for (int i = 0; i < admitted.size(); i++) {
      count += isDue(admitted.get(i), decoding) ? 1 : 0;
    }
    return count;
  }

  private static boolean isDue(Sequence sequence, boolean decoding) {
    int remaining = sequence.remaining();
    return sequence.leader == null && (decoding ? remaining == 1 : remaining > 1);
  }

  /** One for each and, of those that follow, to the head of the chain. */
  private static void share(List<Sequence> admitted) {
    for (int i = 0; i < admitted.size(); i++) {
      admitted.get(i).shares = 1;
    }
    for (int i = 0; i < admitted.size(); i++) {
      Sequence head = admitted.get(i);
      while (head.leader != null) {
        head = head.leader;
      }
      head.shares += head == admitted.get(i) ? 0 : 1;
    }
  }
}
