package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.internal.pipe.KvPages;
import dev.millrace.engine.internal.pipe.PipeSequence;
import dev.millrace.engine.internal.pipe.SequenceStep;
import dev.millrace.engine.internal.sample.Sampler;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One generation inside the wheel: its tokens, how many of them are computed, its pages. It is made
 * by the submitter's thread and belongs to the wheel's from then on.
 */
final class Sequence implements PipeSequence {
  final GenerationRequest request;
  final GenerationListener listener;
  final GenerationHandle generation;
  final Sampler sampler;
  final GeneratedText text;
  final Constraint.@Nullable State constraint;

  /** Its place in the order of submissions, which decides between equal orders. */
  final long arrival;

  /** Set where its prior tokens make it complete. */
  @Nullable FinishReason alreadyFinished;

  /** Set where what was asked for cannot be gone on with, here or elsewhere. */
  boolean refused;

  /** Set where its tokens turned out not to be trustworthy: why. */
  @Nullable String revoked;

  /** Whether nodes note what they get and give of it. */
  boolean recorded;

  /**
   * Whether an {@link AuditHook} has chosen it: all its tokens are of one passage then, and where
   * that is broken off it begins again from its prompt.
   */
  boolean audited;

  /** What it gave before it began again. */
  private EmittedTokens emitted = EmittedTokens.NOTHING;

  /** How often in a row nodes released it, without a new token. */
  int releases;

  /** Where it is in; null while it waits. */
  @Nullable PipeAdmission admission;

  private long pipes; // a bit for each that gave it a token
  private boolean ofOthers; // whether a token may have come through other nodes
  private SequenceStep step;
  private final int most; // tokens
  private int[] tokens;
  private int known;
  private int computed;
  private int[] pages = new int[4];
  private int pageCount;
  private int promised; // pages
  private int filed; // pages
  private int base;
  private long passage;

  /** Whether it is on its way through other nodes. */
  boolean inFlight;

  /** Whether any of its rows went to another node in this passage. */
  boolean sent;

  /** Who computes what it waits for; null where it computes itself. See {@link PrefillDeduplicator}. */
  @Nullable Sequence leader;

  /** Positions that it follows its leader for. */
  int followUntil;

  /** The turn in which it was computed last, among those of its pipe. */
  long lastTurn;

  /** Whether the turn that is being planned takes it. */
  boolean picked;

  /** What part of a turn's prompt rows it has a right to; of use within {@link BatchPlanner} only. */
  int shares;

  int preemptions;
  int cachedTokens = -1;
  final long submittedAt;
  long admittedAt;
  long firstTokenAt;

  Sequence(
      GenerationRequest request, GenerationListener listener, GenerationHandle generation, Parts parts) {
    this.request = request;
    this.listener = listener;
    this.generation = generation;
    sampler = parts.sampler();
    text = new GeneratedText(parts.assembler(), request.stops());
    constraint = request.constraint() == null ? null : request.constraint().start();
    arrival = parts.arrival();
    step = parts.step();
    submittedAt = parts.now();
    int prompt = request.prompt().length;
    most = (int) Math.min((long) prompt + request.maxTokens(), parts.capacity());
    known = prompt + request.prior().length;
    tokens = Arrays.copyOf(request.prompt(), Math.min(known + 64, Math.max(most, known)));
    System.arraycopy(request.prior(), 0, tokens, prompt, request.prior().length);
    ofOthers = request.prior().length > 0; // nobody knows where they come from
  }

  /** One that begins again from its prompt, to give once more what it gave. */
  Sequence(Sequence former, Parts parts) {
    this(former.request.resumedFrom(new int[0]), former.listener, former.generation, parts);
    emitted = former.emitted();
    revoked = former.revoked;
    recorded = former.recorded;
    audited = former.audited;
    releases = former.releases;
    pipes = former.pipes;
    ofOthers = former.ofOthers;
    preemptions = former.preemptions;
    cachedTokens = former.cachedTokens;
    admittedAt = former.admittedAt;
    firstTokenAt = former.firstTokenAt;
  }

  /** What the wheel gives to a sequence. */
  record Parts(
      long arrival,
      SequenceStep step,
      Sampler sampler,
      TextAssembler assembler,
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

  /** Whether its claim on slots and pages is the stronger: the lower order, then who came first. */
  boolean isBefore(Sequence other) {
    long own = request.order();
    long others = other.request.order();
    return own == others ? arrival < other.arrival : own < others;
  }

  int known() {
    return known;
  }

  int computed() {
    return computed;
  }

  int pageCount() {
    return pageCount;
  }

  /** Pages that it is to get when it begins. */
  int reservedPages() {
    return promised;
  }

  /**
   * Tokens that are known and not computed: one while it decodes, more while it is in its prompt.
   */
  int remaining() {
    return known - computed;
  }

  int generated() {
    return known - request.prompt().length;
  }

  /** All that it has given so far, before it began again or since. */
  EmittedTokens emitted() {
    return generated() < emitted.count()
        ? emitted
        : new EmittedTokens(
            Arrays.copyOfRange(tokens, request.prompt().length, known), text.whole());
  }

  /** Null where a token may follow, or the end; else how that differs from what it gave before. */
  @Nullable String mismatch(int token, boolean end) {
    return end ? emitted.endsTooEarly(generated()) : emitted.mismatch(generated(), token);
  }

  /** Whether its last token is one that it had not given before. */
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
      ofOthers |= admission.hasRemoteNodes();
    }
  }

  /** Whether it is in that pipe, or has a token from there. */
  boolean usedPipe(int pipe) {
    return (pipes >>> pipe & 1) == 1 || (admission != null && admission.pipe() == pipe);
  }

  /** Whether it is in a pipe with other nodes, or has a token that may have come through some. */
  boolean usedRemoteNodes() {
    return ofOthers || (admission != null && admission.hasRemoteNodes());
  }

  /** Whether its pages hold the first that many positions. */
  boolean hasRoomFor(int positions) {
    return pageCount >= KvPages.countFor(positions);
  }

  void addPage(int page) {
    ensurePageCapacity(pageCount + 1);
    pages[pageCount++] = page;
  }

  /** So that a page table of that many can be written to {@link #pages()}. */
  void ensurePageCapacity(int count) {
    if (count > pages.length) {
      pages = Arrays.copyOf(pages, Math.max(count, 2 * pages.length));
    }
  }

  /**
   * Gets its place in a pipe, with {@code shared} pages, already in its table, that are computed,
   * and the promise of {@code more}.
   */
  void enter(PipeAdmission in, SequenceStep first, long number, int shared, int more) {
    admission = in;
    step = first;
    passage = number;
    sent = false;
    lastTurn = 0;
    promised = more;
    share(shared);
  }

  private void share(int count) {
    pageCount = count;
    filed = count;
    base = count * KvPages.SIZE;
    computed = base;
  }

  /** Puts pages that hold its tokens into its table, after the first ones; gives their number. */
  int match(PageAllocator ledger, int from) {
    // at least the last token is computed, because its logits are needed
    return ledger.match(tokens, from, (known - 1) / KvPages.SIZE, pages);
  }

  /** Shares what is in the index by now, in place of promised pages; not after it began. */
  void adoptSharedPages(PageAllocator ledger) {
    int before = pageCount;
    int count = match(ledger, before);
    for (int i = before; i < count; i++) {
      ledger.share(pages[i]);
    }
    ledger.cancelReservation(count - before);
    promised -= count - before;
    share(count);
  }

  /** Gets the pages it was promised; from now on it computes. */
  void begin(PageAllocator ledger) {
    for (; promised > 0; promised--) {
      addPage(ledger.takeReserved());
    }
  }

  /**
   * The next {@code count} positions are computed; pages that are full now are shared from now on.
   */
  void advance(int count, PageAllocator ledger) {
    computed += count;
    for (; (filed + 1) * KvPages.SIZE <= computed; filed++) {
      int before = filed == 0 ? PrefixIndex.ROOT : pages[filed - 1];
      pages[filed] = ledger.addToIndex(pages[filed], before, tokens, filed * KvPages.SIZE);
    }
  }

  /** Leaves the pipe: gives all pages back and has nothing computed. */
  void leave(PageAllocator ledger) {
    admission = null;
    inFlight = false;
    ledger.release(pages, pageCount);
    ledger.cancelReservation(promised);
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
