package dev.millrace.engine.wheel;

import dev.millrace.engine.pipe.Group;
import dev.millrace.engine.wheel.Counters.Figure;
import java.util.List;

/**
 * Fills a turn: one token of every sequence that decodes, and chunks of prompts. While any decodes,
 * the chunks are bounded together, and so is the time that it waits. Prompts share what there is
 * evenly, what one leaves over goes to the others; where there is less than one row for each, they
 * take turns. One that follows another leaves its share to that one.
 */
final class TurnPlan {
  private final WheelSettings settings;
  private final Admission admission;
  private final Counters counters;
  private final Sequence[] decodes;
  private final Sequence[] prompts;
  private final int[] chunks;
  private int first; // whose turn it is among the prompts

  TurnPlan(WheelSettings settings, Admission admission, Counters counters) {
    this.settings = settings;
    this.admission = admission;
    this.counters = counters;
    decodes = new Sequence[settings.maxSequences()];
    prompts = new Sequence[settings.maxSequences()];
    chunks = new int[settings.maxSequences()];
  }

  /** Puts the next steps of all that are at rest into the group, which is empty. */
  void fill(Group group) {
    int decoding = decodes();
    for (int i = 0; i < decoding; i++) {
      Sequence sequence = decodes[i];
      group.add(sequence, sequence.computed(), 1, false);
    }
    int room = settings.maxRows() - decoding;
    int filled = prompts(decoding == 0 ? room : Math.min(room, settings.prefillRows()));
    for (int i = 0; i < filled; i++) {
      if (chunks[i] > 0) {
        Sequence sequence = prompts[i];
        group.add(sequence, sequence.computed(), chunks[i], chunks[i] < sequence.remaining());
      }
      prompts[i] = null;
    }
    counters.add(Figure.DECODE_TOKENS, decoding);
    counters.add(Figure.PREFILL_TOKENS, group.batch.rows - decoding);
  }

  /**
   * From the strongest claim on: who gets a page takes it from those behind, who are not planned
   * yet.
   */
  private int decodes() {
    List<Sequence> admitted = admission.admitted();
    int count = 0;
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admitted.get(i);
      // a preemption takes out the last ones, so those before keep their places
      if (!sequence.away && sequence.remaining() == 1 && admission.extend(sequence)) {
        decodes[count++] = sequence;
      }
    }
    return count;
  }

  /** Shares the rows out to prompts; gives how many prompts there are. */
  private int prompts(int rows) {
    List<Sequence> admitted = admission.admitted();
    share(admitted);
    int count = 0;
    int shares = 0;
    for (int i = 0; i < admitted.size(); i++) {
      Sequence sequence = admitted.get(i);
      if (!sequence.away && sequence.leader == null && sequence.remaining() > 1) {
        shares += sequence.shares;
        chunks[count] = 0;
        prompts[count++] = sequence;
      }
    }
    int share = count == 0 ? 0 : Math.max(1, rows / shares);
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
    first++;
    return count;
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
