package dev.millrace.engine.wheel;

import dev.millrace.engine.pipe.ComputeStep;
import dev.millrace.engine.pipe.Condition;
import dev.millrace.engine.pipe.Pages;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.pipe.SequenceState;
import dev.millrace.engine.wheel.Counters.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Who is in. Sequences are admitted in the order of their submission and nobody passes another, so
 * that none is starved. An admitted one has pages for all its known tokens; further ones it gets as
 * it grows, if need be from the one admitted last, which is preempted: it goes back to its place in
 * the line, and later computes its tokens again. The oldest can take from all others and a cache
 * holds any one sequence, so the oldest always gets on.
 */
final class Admission {
  private final WheelSettings settings;
  private final PageLedger ledger;
  private final PipeProcessor processor;
  private final Counters counters;
  private final LongSupplier clock;
  private final List<Sequence> line = new ArrayList<>(); // both in the order of claims
  private final List<Sequence> admitted = new ArrayList<>();
  private long passages;

  Admission(
      WheelSettings settings,
      PageLedger ledger,
      PipeProcessor processor,
      Counters counters,
      LongSupplier clock) {
    this.settings = settings;
    this.ledger = ledger;
    this.processor = processor;
    this.counters = counters;
    this.clock = clock;
  }

  /** In the order of their claims. */
  List<Sequence> admitted() {
    return admitted;
  }

  List<Sequence> waiting() {
    return line;
  }

  void enqueue(Sequence sequence) {
    insert(line, sequence);
  }

  private static void insert(List<Sequence> into, Sequence sequence) {
    int at = into.size();
    while (at > 0 && into.get(at - 1).claim > sequence.claim) {
      at--;
    }
    into.add(at, sequence);
  }

  /** Admits as many as there is room for; says whether it admitted any. */
  boolean admit() {
    boolean any = false;
    while (!line.isEmpty() && admitted.size() < settings.maxSequences() && admit(line.getFirst())) {
      any = true;
    }
    return any;
  }

  /** Takes pages for all known tokens of the first in the line, or none. */
  private boolean admit(Sequence sequence) {
    int needed = Pages.holding(sequence.known());
    sequence.makeRoom(needed);
    // at least the last token is computed, because its logits are needed
    int shared =
        ledger.match(sequence.tokens(), (sequence.known() - 1) / Pages.SIZE, sequence.pages());
    int idle = ledger.idle(sequence.pages(), shared);
    // each of those inside may need a page soon; without this an admission could cost a preemption
    // at once
    int reserve = admitted.size();
    if (needed - shared + idle + reserve > ledger.available()) {
      return false;
    }
    for (int i = 0; i < shared; i++) {
      ledger.share(sequence.pages()[i]);
    }
    sequence.enter(++passages, shared);
    while (!sequence.hasRoomFor(sequence.known())) {
      sequence.addPage(ledger.take());
    }
    note(sequence, shared * Pages.SIZE);
    line.removeFirst();
    insert(admitted, sequence);
    return true;
  }

  private void note(Sequence sequence, int reused) {
    if (sequence.cachedTokens < 0) {
      sequence.cachedTokens = reused;
      sequence.admittedAt = clock.getAsLong();
    }
    if (reused > 0) {
      counters.add(Figure.PREFIX_HITS, 1);
      counters.add(Figure.REUSED_TOKENS, reused);
    }
  }

  /**
   * Gets a sequence the page for its next position. False where it cannot have one in this turn: it
   * was preempted itself, or those it could take from are away.
   */
  boolean extend(Sequence sequence) {
    while (!sequence.hasRoomFor(sequence.computed() + 1)) {
      int page = ledger.take();
      if (page >= 0) {
        sequence.addPage(page);
        continue;
      }
      Sequence last = lastAtHome();
      if (last == sequence && admitted.getLast() != sequence) {
        return false;
      }
      preempt(last);
      if (last == sequence) {
        return false;
      }
    }
    return true;
  }

  /** The last that is not away; whoever asks is at home, so there is one. */
  private Sequence lastAtHome() {
    int at = admitted.size() - 1;
    while (admitted.get(at).away) {
      at--;
    }
    return admitted.get(at);
  }

  private void preempt(Sequence sequence) {
    sequence.walk().move(Condition.PREEMPTED);
    leave(sequence);
    sequence.walk().begin(ComputeStep.EMBED, 0);
    sequence.preemptions++;
    counters.add(Figure.PREEMPTIONS, 1);
    insert(line, sequence);
  }

  /** Takes a sequence out, wherever it is, and its pages back. */
  void leave(Sequence sequence) {
    if (admitted.remove(sequence)) {
      sequence.leave(ledger);
      processor.forget(sequence.passage());
    } else {
      line.remove(sequence);
    }
  }

  /**
   * For tests: finds pages that are lost, in use twice or miscounted, and sequences out of place.
   */
  void check() {
    int[] users = new int[ledger.total()];
    for (Sequence sequence : admitted) {
      for (int i = 0; i < sequence.pageCount(); i++) {
        users[sequence.pages()[i]]++;
      }
    }
    ledger.check(users);
    long last = -1;
    for (Sequence sequence : admitted) {
      require(sequence.claim > last, "claims are out of order", sequence);
      last = sequence.claim;
      SequenceState state = sequence.walk().state();
      boolean rests = state == SequenceState.VALIDATING || state == SequenceState.EMBED;
      require(sequence.away ? state == SequenceState.DONE : rests, "does not rest", sequence);
      require(sequence.remaining() >= 1, "has nothing to compute", sequence);
      for (int i = sequence.computed() / Pages.SIZE; i < sequence.pageCount(); i++) {
        require(users[sequence.pages()[i]] == 1, "would write a shared page", sequence);
      }
    }
    for (Sequence sequence : line) {
      require(sequence.pageCount() == 0, "waits with pages", sequence);
    }
  }

  private static void require(boolean holds, String what, Sequence sequence) {
    if (!holds) {
      throw new IllegalStateException("sequence " + sequence.claim + " " + what);
    }
  }
}
