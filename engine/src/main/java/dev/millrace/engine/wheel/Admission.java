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
 * Who is in. Sequences have claims, by the orders of their requests and, where those are equal, of
 * their submission; they are admitted in that order and nobody passes another, so that none is
 * starved. An admitted one has pages for all its known tokens, or the promise of them while it
 * follows another; further ones it gets as it grows, if need be from the one with the weakest
 * claim, which is preempted: it goes back to its place in the line, and later computes its tokens
 * again. The one with the strongest can take from all others and a cache holds any one sequence, so
 * that one always gets on.
 */
final class Admission {
  private final WheelSettings settings;
  private final PageLedger ledger;
  private final PipeProcessor processor;
  private final Counters counters;
  private final LongSupplier clock;
  private final List<Sequence> line = new ArrayList<>(); // both in the order of claims
  private final List<Sequence> admitted = new ArrayList<>();
  private final Followers followers;
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
    followers = new Followers(admitted, ledger, settings.prefixReuse(), this::begin);
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
    int low = 0;
    int high = into.size();
    if (high > 0 && into.getLast().isBefore(sequence)) {
      low = high; // as most are
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (into.get(middle).isBefore(sequence)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    into.add(low, sequence);
  }

  /** Admits as many as there is room for; says whether it admitted any. */
  boolean admit() {
    followers.goOn();
    boolean any = false;
    while (!line.isEmpty() && admitted.size() < settings.maxSequences() && admit(line.getFirst())) {
      any = true;
    }
    return any;
  }

  /** Gives the first in the line a place, with pages for all its known tokens, or none. */
  private boolean admit(Sequence sequence) {
    int needed = Pages.holding(sequence.known());
    sequence.makeRoom(needed);
    // at least the last token is computed, because its logits are needed
    int shared =
        ledger.match(sequence.tokens(), 0, (sequence.known() - 1) / Pages.SIZE, sequence.pages());
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
    ledger.promise(needed - shared);
    sequence.enter(++passages, shared, needed - shared);
    line.removeFirst();
    insert(admitted, sequence);
    followers.settle(sequence);
    return true;
  }

  /** From now on it computes, what it does not share. */
  private void begin(Sequence sequence) {
    int reused = sequence.computed();
    sequence.begin(ledger);
    if (sequence.cachedTokens < 0) {
      sequence.cachedTokens = reused;
      sequence.admittedAt = clock.getAsLong();
      tell(sequence.listener);
    }
    if (reused > 0) {
      counters.add(Figure.PREFIX_HITS, 1);
      counters.add(Figure.REUSED_TOKENS, reused);
    }
  }

  private static void tell(Listener listener) {
    try {
      listener.began();
    } catch (Throwable e) {
      // nothing depends on it, and the others go on
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
      followers.left(sequence);
    } else {
      line.remove(sequence);
    }
  }

  /**
   * For tests: finds pages that are lost, in use twice or miscounted, and sequences out of place.
   */
  void check() {
    int[] users = new int[ledger.total()];
    int promised = 0;
    for (Sequence sequence : admitted) {
      for (int i = 0; i < sequence.pageCount(); i++) {
        users[sequence.pages()[i]]++;
      }
      promised += sequence.promised();
    }
    ledger.check(users);
    if (promised != ledger.promised()) {
      throw new IllegalStateException(ledger.promised() + " pages are promised, not " + promised);
    }
    checkOrder(line);
    checkOrder(admitted);
    for (Sequence sequence : admitted) {
      require(followers.isRight(sequence), "neither computes nor follows", sequence);
      SequenceState state = sequence.walk().state();
      boolean rests = state == SequenceState.VALIDATING || state == SequenceState.EMBED;
      require(sequence.away ? state == SequenceState.DONE : rests, "does not rest", sequence);
      require(sequence.remaining() >= 1, "has nothing to compute", sequence);
      for (int i = sequence.computed() / Pages.SIZE; i < sequence.pageCount(); i++) {
        require(users[sequence.pages()[i]] == 1, "would write a shared page", sequence);
      }
    }
    for (Sequence sequence : line) {
      require(sequence.pageCount() + sequence.promised() == 0, "waits with pages", sequence);
    }
  }

  private static void checkOrder(List<Sequence> sequences) {
    for (int i = 1; i < sequences.size(); i++) {
      require(sequences.get(i - 1).isBefore(sequences.get(i)), "is out of order", sequences.get(i));
    }
  }

  private static void require(boolean holds, String what, Sequence sequence) {
    if (!holds) {
      throw new IllegalStateException("sequence " + sequence.arrival + " " + what);
    }
  }
}
