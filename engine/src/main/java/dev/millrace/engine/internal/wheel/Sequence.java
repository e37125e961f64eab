package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.internal.constraint.ConstraintTracker;
import dev.millrace.engine.internal.pipe.InFlightTracker;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.pipe.PipeSequence;
import dev.millrace.engine.internal.pipe.SequenceStep;
import dev.millrace.engine.internal.sample.AnswerStops;
import dev.millrace.engine.internal.sample.Sampler;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One generation inside the scheduler: its tokens, how many of them are computed, its pages. The
 * submitter's thread makes it; it belongs to the scheduler's thread from then on.
 */
final class Sequence implements PipeSequence {
  /** How many tokens it computes at least before an interactive one may take its only slot. */
  static final int LEAST_COMPUTED = 32;

  /** How many of these are new at least: the others are lost with its pages. */
  static final int LEAST_NEW = 8;

  final GenerationRequest request;
  final GenerationListener listener;
  final GenerationHandle generation;
  final Sampler sampler;
  final GeneratedText text;
  final @Nullable ConstraintTracker constraint;

  /** Its number in the order of submissions, which decides between equal orders. */
  final long arrival;

  /** Set if its prior tokens make it complete. */
  @Nullable FinishReason alreadyFinished;

  /** Set if the request can never be completed, here or elsewhere. */
  boolean refused;

  /** Set if its tokens cannot be trusted: the reason. */
  @Nullable String revoked;

  /** Whether nodes record hashes of its rows. */
  boolean recorded;

  /**
   * Whether an {@link AuditHook} has chosen it: all its tokens come from one passage, and if that
   * is broken off it restarts from its prompt.
   */
  boolean audited;

  /** The tokens that it emitted before it restarted. */
  private EmittedTokens emitted = EmittedTokens.NOTHING;

  /** How often in a row nodes released it without a new token. */
  int releases;

  /** Where it is admitted; null while it waits. */
  @Nullable PipeAdmission admission;

  private long pipes; // one bit for each pipe that computed a token of it
  private boolean fromOtherNodes; // whether a token may have come through other nodes
  private SequenceStep step;
  private final int most; // tokens
  private int[] tokens;
  private int known;
  private int computed;
  private int planned; // positions: computed, or in a batch
  private int[] pages = new int[4];
  private int pageCount;
  private int promised; // pages
  private int filed; // pages
  private int base;
  private long passage;
  private int knownAtEntry; // tokens that were known when it entered its pipe

  /** Its groups at other nodes. */
  final InFlightTracker inFlight = new InFlightTracker();

  /** Whether any of its rows went to another node in this passage. */
  boolean sent;

  /**
   * The sequence that computes the prefix it waits for; null if it computes itself. See {@link
   * PrefillDeduplicator}.
   */
  @Nullable Sequence leader;

  /** The number of positions for which it follows its leader. */
  int followUntil;

  /** The last turn of its pipe in which it was computed. */
  long lastTurn;

  /** Whether the batch that is being planned includes it. */
  boolean picked;

  /** Its share of the prompt rows of a batch; only for {@link BatchPlanner}. */
  int shares;

  /** Whether it, or one that follows it, is interactive; only for {@link BatchPlanner}. */
  boolean urgent;

  int preemptions;
  int cachedTokens = -1;
  final long submittedAt;
  long admittedAt;
  long firstTokenAt;

  Sequence(
      GenerationRequest request,
      GenerationListener listener,
      GenerationHandle generation,
      Parts parts) {
    this.request = request;
    this.listener = listener;
    this.generation = generation;
    sampler = parts.sampler();
    constraint = parts.constraint();
    ConstraintTracker tracker = parts.constraint();
    text =
        new GeneratedText(
            parts.detokenizer(),
            new AnswerStops(
                request.stops(), request.stopScope(), () -> tracker != null && tracker.holds()));
    arrival = parts.arrival();
    step = parts.step();
    submittedAt = parts.now();
    int prompt = request.prompt().length;
    most = (int) Math.min((long) prompt + request.maxTokens(), parts.capacity());
    known = prompt + request.prior().length;
    tokens = Arrays.copyOf(request.prompt(), Math.min(known + 64, Math.max(most, known)));
    System.arraycopy(request.prior(), 0, tokens, prompt, request.prior().length);
    fromOtherNodes = request.prior().length > 0; // their source is unknown
  }

  /** Restarts a sequence from its prompt; it must emit the same tokens again. */
  Sequence(Sequence former, Parts parts) {
    this(former.request.resumedFrom(new int[0]), former.listener, former.generation, parts);
    emitted = former.emitted();
    revoked = former.revoked;
    recorded = former.recorded;
    audited = former.audited;
    releases = former.releases;
    pipes = former.pipes;
    fromOtherNodes = former.fromOtherNodes;
    preemptions = former.preemptions;
    cachedTokens = former.cachedTokens;
    admittedAt = former.admittedAt;
    firstTokenAt = former.firstTokenAt;
  }

  /** What the scheduler provides to a sequence. */
  record Parts(
      long arrival,
      SequenceStep step,
      Sampler sampler,
      Detokenizer detokenizer,
      @Nullable ConstraintTracker constraint,
      int capacity,
      long now) {}

  @Override
  public SequenceStep step() {
    return step;
  }

  @Override
  public long passage() {
    return passage;
  }

  @Override
  public int base() {
    return base;
  }

  @Override
  public int[] tokens() {
    return tokens;
  }

  @Override
  public int[] pages() {
    return pages;
  }

  @Override
  public boolean isRecorded() {
    return recorded;
  }

  /**
   * Whether its claim on slots and pages is stronger: interactive ones first, then the lower order,
   * then the earlier submission.
   */
  boolean isBefore(Sequence other) {
    if (isInteractive() != other.isInteractive()) {
      return isInteractive();
    }
    long own = request.order();
    long others = other.request.order();
    return own == others ? arrival < other.arrival : own < others;
  }

  boolean isInteractive() {
    return request.interactive();
  }

  /**
   * Whether it has made progress in its pipe that a preemption does not undo, and has used its slot
   * for a while. A preempted sequence keeps its tokens, so it needs new ones. An audited one
   * restarts without any.
   */
  boolean hasProgressed() {
    return !audited && known - knownAtEntry >= LEAST_NEW && computed - base >= LEAST_COMPUTED;
  }

  int known() {
    return known;
  }

  int computed() {
    return computed;
  }

  /** The next position to compute: those before it are computed, or in a batch. */
  int planned() {
    return planned;
  }

  /** The number of tokens that are known and in no batch yet. */
  int unplanned() {
    return known - planned;
  }

  /** Whether a batch may include it: it rests, or has a further chunk while others are away. */
  boolean mayBePlanned() {
    return !inFlight.isAny() || (unplanned() > 0 && inFlight.mayContinue());
  }

  /** A batch includes the next {@code count} positions; returns the first. */
  int plan(int count) {
    if (inFlight.isAny()) {
      step = step.next();
    }
    planned += count;
    return planned - count;
  }

  int pageCount() {
    return pageCount;
  }

  /** The number of pages reserved for its start. */
  int reservedPages() {
    return promised;
  }

  /** Whether its next batch, or the one that it is in, has its last known token alone. */
  boolean isDecoding() {
    return (unplanned() > 0 ? unplanned() : remaining()) == 1;
  }

  /**
   * The number of tokens that are known and not computed: one while it decodes, more during its
   * prompt.
   */
  int remaining() {
    return known - computed;
  }

  int generated() {
    return known - request.prompt().length;
  }

  /** All tokens emitted so far, before or after a restart. */
  EmittedTokens emitted() {
    return generated() < emitted.count()
        ? emitted
        : new EmittedTokens(
            Arrays.copyOfRange(tokens, request.prompt().length, known), text.whole());
  }

  /** Null if a token, or the end, may follow; else how that differs from what it emitted before. */
  @Nullable String mismatch(int token, boolean end) {
    return end ? emitted.endsTooEarly(generated()) : emitted.mismatch(generated(), token);
  }

  /** Whether its last token was not emitted before. */
  boolean isNewToken() {
    return generated() > emitted.count();
  }

  boolean isFull() {
    return known >= most;
  }

  void append(int token) {
    if (known == tokens.length) {
      tokens = Arrays.copyOf(tokens, (int) Math.min(2L * known, Math.max(most, known + 1)));
    }
    tokens[known++] = token;
    releases = isNewToken() ? 0 : releases;
    if (admission != null) {
      pipes |= 1L << admission.pipe();
      fromOtherNodes |= admission.hasRemoteNodes();
    }
  }

  /** Whether it is in that pipe, or has a token from it. */
  boolean usedPipe(int pipe) {
    return (pipes >>> pipe & 1) == 1 || (admission != null && admission.pipe() == pipe);
  }

  /** Whether it is in a pipe with other nodes, or has a token that may have come through some. */
  boolean usedRemoteNodes() {
    return fromOtherNodes || (admission != null && admission.hasRemoteNodes());
  }

  /** Whether its pages have room for that many positions. */
  boolean hasRoomFor(int positions) {
    return pageCount >= KvPageSize.countFor(positions);
  }

  void addPage(int page) {
    ensurePageCapacity(pageCount + 1);
    pages[pageCount++] = page;
  }

  /** Makes room for a page table of that size in {@link #pages()}. */
  void ensurePageCapacity(int count) {
    if (count > pages.length) {
      pages = Arrays.copyOf(pages, Math.max(count, 2 * pages.length));
    }
  }

  /**
   * Enters a pipe, with {@code shared} computed pages that are already in its table, and {@code
   * more} reserved pages.
   */
  void enter(PipeAdmission in, SequenceStep first, long number, int shared, int more) {
    admission = in;
    step = first;
    passage = number;
    sent = false;
    lastTurn = 0;
    promised = more;
    knownAtEntry = known;
    share(shared);
  }

  private void share(int count) {
    pageCount = count;
    filed = count;
    base = count * KvPageSize.POSITIONS;
    computed = base;
    planned = base;
  }

  /**
   * Writes the pages of its tokens that are in the index to its table, after the first ones;
   * returns their number.
   */
  int match(PageAllocator allocator, int from) {
    // the last token is always computed, because its logits are needed
    return allocator.match(tokens, from, (known - 1) / KvPageSize.POSITIONS, pages);
  }

  /**
   * Shares the pages that are in the index by now, instead of reserved ones; not after its start.
   */
  void adoptSharedPages(PageAllocator allocator) {
    int before = pageCount;
    int count = match(allocator, before);
    for (int i = before; i < count; i++) {
      allocator.share(pages[i]);
    }
    allocator.cancelReservation(count - before);
    promised -= count - before;
    share(count);
  }

  /** Takes its reserved pages; from now on it computes. */
  void begin(PageAllocator allocator) {
    for (; promised > 0; promised--) {
      addPage(allocator.takeReserved());
    }
  }

  /** The next {@code count} positions are computed; pages that are full now are shared. */
  void advance(int count, PageAllocator allocator) {
    computed += count;
    for (; (filed + 1) * KvPageSize.POSITIONS <= computed; filed++) {
      int before = filed == 0 ? PrefixIndex.ROOT : pages[filed - 1];
      pages[filed] =
          allocator.addToIndex(pages[filed], before, tokens, filed * KvPageSize.POSITIONS);
    }
  }

  /** Leaves the pipe: returns all pages, and nothing is computed any more. */
  void leave(PageAllocator allocator) {
    admission = null;
    inFlight.clear();
    allocator.release(pages, pageCount);
    allocator.cancelReservation(promised);
    promised = 0;
    leader = null;
    share(0);
  }

  /** For tests. */
  void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException("sequence " + arrival + " " + what);
    }
  }
}
