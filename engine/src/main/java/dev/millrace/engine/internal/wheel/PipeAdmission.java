package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.pipe.NextComputation;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.SequenceCondition;
import dev.millrace.engine.internal.pipe.SequenceState;
import dev.millrace.engine.internal.wheel.WheelCounters.Counter;
import java.util.ArrayList;
import java.util.List;

/**
 * The admitted sequences of one pipe. Claims are ordered: interactive requests first, then by the
 * order number of the request, then by submission. {@link AdmissionRouter} admits them. An
 * admitted sequence has pages for all its known tokens, or a reservation while it follows another.
 * It gets further pages as it grows, if necessary from the sequence with the weakest claim, which
 * is preempted: that one returns to the queue and later computes its tokens again. As to pages, a
 * few of the sequences that are not interactive come before the interactive ones, so that these do
 * not starve them. The sequence with the strongest claim on pages can take them from all others,
 * and the cache can hold any one sequence, so one always makes progress.
 */
final class PipeAdmission {
  private final BatchLoop.Shared shared;
  private final int pipe;
  private final PipeProcessor processor;
  private final PageAllocator allocator;
  private final WheelCounters counters;
  private final List<Sequence> admitted = new ArrayList<>(); // in the order of claims
  private final PrefillDeduplicator followers;
  private int interactiveCount;
  private long passages;

  PipeAdmission(
      BatchLoop.Shared shared,
      int pipe,
      PipeProcessor processor,
      PageAllocator allocator,
      WheelCounters counters) {
    this.shared = shared;
    this.pipe = pipe;
    this.processor = processor;
    this.allocator = allocator;
    this.counters = counters;
    followers =
        new PrefillDeduplicator(admitted, allocator, shared.settings().prefixReuse(), this::begin);
  }

  /** The number of the pipe. */
  int pipe() {
    return pipe;
  }

  /** The epoch of the pipe's plan. */
  long epoch() {
    return processor.epoch();
  }

  /** Whether the pipe has other nodes. */
  boolean hasRemoteNodes() {
    return processor.stages() > 1;
  }

  WheelCounters counters() {
    return counters;
  }

  /** The admitted sequences in the order of their claims. */
  List<Sequence> admitted() {
    return admitted;
  }

  /** The number of the admitted interactive sequences; they come before the others. */
  int interactiveCount() {
    return interactiveCount;
  }

  /** The number of sequences that may be admitted. */
  int slots() {
    return processor.stages() > 0 ? shared.settings().maxSequences() : 0;
  }

  /**
   * An admitted sequence by its claim on pages, from the strongest, 0. Interactive sequences may
   * not take all pages: some of the others come first.
   */
  Sequence byPageClaim(int position) {
    int first = interactiveCount;
    int kept = AdmissionRouter.keptSlots(shared.settings().maxSequences());
    int others = first == 0 ? 0 : Math.min(kept, admitted.size() - first);
    if (position < others) {
      return admitted.get(first + position);
    }
    return admitted.get(position < others + first ? position - others : position);
  }

  /** Starts the followers that have the pages they followed for. */
  void advanceFollowers() {
    followers.advance();
  }

  /** Whether a sequence may be admitted, if there are pages. */
  boolean hasFreeSlot() {
    return admitted.size() < slots();
  }

  /** Admits the first in the queue, with pages for all its known tokens, or not at all. */
  boolean admit(Sequence sequence) {
    int needed = KvPageSize.countFor(sequence.known());
    int found = findCached(sequence, needed);
    if (missing(sequence, needed, found) > 0) {
      return false;
    }
    for (int i = 0; i < found; i++) {
      allocator.share(sequence.pages()[i]);
    }
    allocator.reserve(needed - found);
    shared.waitQueue().remove(sequence);
    sequence.enter(this, processor.newStep(), ++passages, found, needed - found);
    WaitQueue.insert(admitted, sequence);
    interactiveCount += sequence.isInteractive() ? 1 : 0;
    followers.followOrBegin(sequence);
    return true;
  }

  private int findCached(Sequence sequence, int needed) {
    sequence.ensurePageCapacity(needed);
    return sequence.match(allocator, 0);
  }

  /** How many pages are missing for the admission of a sequence; none if it is not positive. */
  private int missing(Sequence sequence, int needed, int found) {
    int idle = allocator.countUnused(sequence.pages(), found);
    // each admitted sequence may need a page soon; without this an admission could cost a
    // preemption at once
    int reserve = admitted.size();
    return needed - found + idle + reserve - allocator.available();
  }

  /**
   * The sequences that are not interactive whose preemption makes room for this one, those with the
   * weakest claims. Empty if it takes more than {@code most}, or none.
   *
   * @param progressed whether to find only those that have made progress since their admission
   */
  List<Sequence> findVictims(Sequence sequence, int most, boolean progressed) {
    int needed = KvPageSize.countFor(sequence.known());
    int missing = missing(sequence, needed, findCached(sequence, needed));
    int tooMany = admitted.size() + 1 - slots();
    List<Sequence> victims = new ArrayList<>();
    for (int i = admitted.size() - 1; i >= interactiveCount && victims.size() < most; i--) {
      Sequence last = admitted.get(i);
      boolean may = !progressed || last.hasProgressed();
      if (may && !last.inFlight.isAny()) {
        victims.add(last);
        // its pages, and the one that it may have needed soon
        missing -= allocator.countUnshared(last.pages(), last.pageCount());
        missing -= last.reservedPages() + 1;
      }
      if (victims.size() >= tooMany && missing <= 0) {
        return victims;
      }
    }
    drain(most, progressed);
    return List.of();
  }

  /** Those that could be victims if they were here come back, however long their prompts are. */
  private void drain(int most, boolean progressed) {
    for (int i = admitted.size() - 1; i >= interactiveCount && most > 0; i--) {
      if (!progressed || admitted.get(i).hasProgressed()) {
        admitted.get(i).inFlight.drain();
      }
    }
  }

  /** Starts its computation of what it does not share. */
  private void begin(Sequence sequence) {
    int reused = sequence.computed();
    sequence.begin(allocator);
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
      // nothing depends on it, and the other sequences continue
    }
  }

  /**
   * Gets a sequence the page for its next position. False if it cannot have one in this turn: it
   * was preempted itself, or those it could take from are in flight.
   */
  boolean extend(Sequence sequence) {
    while (!sequence.hasRoomFor(sequence.planned() + 1)) {
      int page = allocator.take();
      if (page >= 0) {
        sequence.addPage(page);
        continue;
      }
      Sequence last = lastAtHome();
      if (last == sequence && byPageClaim(admitted.size() - 1) != sequence) {
        return false;
      }
      preempt(last);
      if (last == sequence) {
        return false;
      }
    }
    return true;
  }

  /**
   * The sequence with the weakest claim on pages that is not in flight; the caller is not, because
   * the chunks of a prompt have their pages, so there is one. Those with weaker claims send no
   * further chunks until they can be preempted.
   */
  private Sequence lastAtHome() {
    int at = admitted.size() - 1;
    while (byPageClaim(at).inFlight.isAny()) {
      byPageClaim(at--).inFlight.drain();
    }
    return byPageClaim(at);
  }

  /** Returns a sequence that is not in flight to the queue; it continues later. */
  void preempt(Sequence sequence) {
    sequence.step().move(SequenceCondition.PREEMPTED);
    sequence.preemptions++;
    counters.add(Counter.PREEMPTIONS, 1);
    requeue(sequence);
  }

  /**
   * Returns a sequence whose step was RELEASED to the queue, with its tokens. An audited sequence
   * restarts: the records of it are lost with its passage, and its tokens could not be audited any
   * more.
   */
  void requeue(Sequence sequence) {
    remove(sequence);
    if (sequence.audited) {
      shared.waitQueue().put(shared.sequenceFactory().recreate(sequence));
    } else {
      sequence.step().restart(NextComputation.EMBED, 0);
      shared.waitQueue().put(sequence);
    }
  }

  /** Returns all sequences to the queue, because their pipe is gone; none is in flight any more. */
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

  /** Ends all following; all of them are about to leave. */
  void clearFollowers() {
    for (Sequence sequence : admitted) {
      sequence.leader = null;
    }
  }

  /** Removes a sequence before it is complete, and frees its pages. */
  void remove(Sequence sequence) {
    releasePages(sequence);
    forget(sequence, epoch());
    shared.auditTracker().sequenceDropped(pipe, sequence);
  }

  /** Removes a sequence and frees its pages; the nodes keep the records of its passage. */
  void releasePages(Sequence sequence) {
    if (admitted.remove(sequence)) {
      interactiveCount -= sequence.isInteractive() ? 1 : 0;
    }
    sequence.leave(allocator);
    followers.leaderLeft(sequence);
  }

  /**
   * Ends a passage: its nodes get a message, unless the plan is over too or they never received it.
   */
  void forget(Sequence sequence, long epoch) {
    if (sequence.sent && epoch == epoch()) {
      processor.forget(sequence.passage());
    }
  }

  /** For tests: finds pages that are lost, used twice or miscounted, and sequences out of place. */
  void check() {
    int[] users = new int[allocator.total()];
    int promised = 0;
    for (Sequence sequence : admitted) {
      for (int i = 0; i < sequence.pageCount(); i++) {
        users[sequence.pages()[i]]++;
      }
      promised += sequence.reservedPages();
    }
    allocator.check(users);
    if (promised != allocator.reserved()) {
      throw new IllegalStateException(
          allocator.reserved() + " pages are promised, not " + promised);
    }
    WaitQueue.checkOrder(admitted);
    if (admitted.stream().filter(Sequence::isInteractive).count() != interactiveCount) {
      throw new IllegalStateException(interactiveCount + " interactive sequences are miscounted");
    }
    admitted.forEach(sequence -> check(sequence, users));
  }

  private void check(Sequence sequence, int[] users) {
    sequence.require(sequence.admission == this, "is not where it is");
    sequence.require(followers.isConsistent(sequence), "neither computes nor follows");
    SequenceState state = sequence.step().state();
    boolean rests = state == SequenceState.VALIDATING || state == SequenceState.EMBED;
    boolean away = sequence.inFlight.isAny();
    sequence.require(away ? state == SequenceState.DONE : rests, "does not rest");
    sequence.require(away || sequence.planned() == sequence.computed(), "rests in a batch");
    sequence.require(sequence.remaining() >= 1, "has nothing to compute");
    int own = shared.settings().prefixReuse() ? sequence.computed() / KvPageSize.POSITIONS : 0;
    for (int i = own; i < sequence.pageCount(); i++) {
      sequence.require(users[sequence.pages()[i]] == 1, "would write a shared page");
    }
  }
}
