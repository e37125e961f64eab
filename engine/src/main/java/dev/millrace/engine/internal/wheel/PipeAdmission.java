package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.internal.pipe.ComputeStep;
import dev.millrace.engine.internal.pipe.KvPages;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.SequenceCondition;
import dev.millrace.engine.internal.pipe.SequenceState;
import dev.millrace.engine.internal.wheel.WheelCounters.Counter;
import java.util.ArrayList;
import java.util.List;

/**
 * Who is in. Sequences have claims, by the orders of their requests and, where those are equal, of
 * their submission; they are admitted in that order and nobody passes another, so that none is
 * starved. An admitted one has pages for all its known tokens, or the promise of them while it
 * follows another; further ones it gets as it grows, if need be from the one with the weakest
 * claim, which is preempted: it goes back to its place in the line, and later computes its tokens
 * again. The one with the strongest can take from all others and a cache holds any one sequence, so
 * that one always gets on.
 */
final class PipeAdmission {
  private final BatchLoop.Shared shared;
  private final int pipe;
  private final PipeProcessor processor;
  private final PageAllocator ledger;
  private final WheelCounters counters;
  private final List<Sequence> admitted = new ArrayList<>(); // in the order of claims
  private final PrefillDeduplicator followers;
  private long passages;

  PipeAdmission(
      BatchLoop.Shared shared,
      int pipe,
      PipeProcessor processor,
      PageAllocator ledger,
      WheelCounters counters) {
    this.shared = shared;
    this.pipe = pipe;
    this.processor = processor;
    this.ledger = ledger;
    this.counters = counters;
    followers =
        new PrefillDeduplicator(admitted, ledger, shared.settings().prefixReuse(), this::begin);
  }

  /** The number of the pipe. */
  int pipe() {
    return pipe;
  }

  /** Of the pipe's plan. */
  long epoch() {
    return processor.epoch();
  }

  /** Whether other nodes are part of the pipe. */
  boolean hasRemoteNodes() {
    return processor.stages() > 1;
  }

  WheelCounters counters() {
    return counters;
  }

  /** In the order of their claims. */
  List<Sequence> admitted() {
    return admitted;
  }

  /** Lets those go on who followed another and have what they followed for. */
  void advanceFollowers() {
    followers.advance();
  }

  /** Whether any may come in, if there are pages. */
  boolean hasFreeSlot() {
    return processor.stages() > 0 && admitted.size() < shared.settings().maxSequences();
  }

  /** Gives the first in the line a place, with pages for all its known tokens, or none. */
  boolean admit(Sequence sequence) {
    int needed = KvPages.countFor(sequence.known());
    sequence.ensurePageCapacity(needed);
    int found = sequence.match(ledger, 0);
    int idle = ledger.countUnused(sequence.pages(), found);
    // each of those inside may need a page soon; without this an admission could cost a preemption
    // at once
    int reserve = admitted.size();
    if (needed - found + idle + reserve > ledger.available()) {
      return false;
    }
    for (int i = 0; i < found; i++) {
      ledger.share(sequence.pages()[i]);
    }
    ledger.reserve(needed - found);
    shared.waitQueue().remove(sequence);
    sequence.enter(this, processor.newStep(), ++passages, found, needed - found);
    WaitQueue.insert(admitted, sequence);
    followers.followOrBegin(sequence);
    return true;
  }

  /** From now on it computes, what it does not share. */
  private void begin(Sequence sequence) {
    int reused = sequence.computed();
    sequence.begin(ledger);
    if (sequence.cachedTokens < 0) {
      sequence.cachedTokens = reused;
      sequence.admittedAt = shared.clock().getAsLong();
      tell(sequence.listener);
    }
    if (reused > 0) {
      counters.add(Counter.PREFIX_HITS, 1);
      counters.add(Counter.REUSED_TOKENS, reused);
    }
  }

  private static void tell(GenerationListener listener) {
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
    while (admitted.get(at).inFlight) {
      at--;
    }
    return admitted.get(at);
  }

  private void preempt(Sequence sequence) {
    sequence.step().move(SequenceCondition.PREEMPTED);
    sequence.preemptions++;
    counters.add(Counter.PREEMPTIONS, 1);
    requeue(sequence);
  }

  /**
   * Sends a sequence whose walk was RELEASED back to its place in the line, with its tokens. One
   * that is examined begins again: what was noted of it is lost with its passage, and tokens that
   * nobody can look into would be built on.
   */
  void requeue(Sequence sequence) {
    remove(sequence);
    if (sequence.audited) {
      shared.waitQueue().put(shared.sequenceFactory().recreate(sequence));
    } else {
      sequence.step().restart(ComputeStep.EMBED, 0);
      shared.waitQueue().put(sequence);
    }
  }

  /** Sends all back to the line, because their pipe is gone; nobody is away any more. */
  void requeueAll(String why) {
    clearFollowers();
    while (!admitted.isEmpty()) {
      Sequence last = admitted.getLast();
      if (last.step().state() != SequenceState.DONE) {
        boolean rests = last.step().state() == SequenceState.EMBED;
        last.step()
            .move(
                rests ? SequenceCondition.NO_MODEL_FOR_LAYER : SequenceCondition.PIPE_MISSING, why);
      }
      requeue(last);
    }
  }

  /** Nobody follows another any more; all of them are to leave. */
  void clearFollowers() {
    for (Sequence sequence : admitted) {
      sequence.leader = null;
    }
  }

  /** Takes a sequence out before it is complete, and its pages back. */
  void remove(Sequence sequence) {
    releasePages(sequence);
    forget(sequence, epoch());
    shared.auditTracker().sequenceDropped(pipe, sequence);
  }

  /** Takes a sequence out, and its pages back; its passage is remembered by those who noted it. */
  void releasePages(Sequence sequence) {
    admitted.remove(sequence);
    sequence.leave(ledger);
    followers.leaderLeft(sequence);
  }

  /** A passage is over: its nodes are told, unless the plan is too, or they never heard of it. */
  void forget(Sequence sequence, long epoch) {
    if (sequence.sent && epoch == epoch()) {
      processor.forget(sequence.passage());
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
      promised += sequence.reservedPages();
    }
    ledger.check(users);
    if (promised != ledger.reserved()) {
      throw new IllegalStateException(ledger.reserved() + " pages are promised, not " + promised);
    }
    WaitQueue.checkOrder(admitted);
    admitted.forEach(sequence -> check(sequence, users));
  }

  private void check(Sequence sequence, int[] users) {
    sequence.require(sequence.admission == this, "is not where it is");
    sequence.require(followers.isConsistent(sequence), "neither computes nor follows");
    SequenceState state = sequence.step().state();
    boolean rests = state == SequenceState.VALIDATING || state == SequenceState.EMBED;
    sequence.require(sequence.inFlight ? state == SequenceState.DONE : rests, "does not rest");
    sequence.require(sequence.remaining() >= 1, "has nothing to compute");
    int own = shared.settings().prefixReuse() ? sequence.computed() / KvPages.SIZE : 0;
    for (int i = own; i < sequence.pageCount(); i++) {
      sequence.require(users[sequence.pages()[i]] == 1, "would write a shared page");
    }
  }
}
