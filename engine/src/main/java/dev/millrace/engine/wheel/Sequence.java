package dev.millrace.engine.wheel;

import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.pipe.Pages;
import dev.millrace.engine.pipe.Traveller;
import dev.millrace.engine.pipe.Walk;
import dev.millrace.engine.sample.Sampler;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One generation inside the wheel: its tokens, how many of them are computed, its pages. It is made
 * by the submitter's thread and belongs to the wheel's from then on.
 */
final class Sequence implements Traveller {
  final Request request;
  final Listener listener;
  final Generation generation;
  final Sampler sampler;
  final Text text;
  final Constraint.@Nullable State constraint;

  /** Its place in the order of submissions, which decides between equal orders. */
  final long arrival;

  /** Set where its prior tokens make it complete. */
  @Nullable Finish complete;

  /** Set where what was asked for cannot be gone on with, here or elsewhere. */
  boolean refused;

  /** Set where its tokens turned out not to be trustworthy: why. */
  @Nullable String revoked;

  /** Whether nodes note what they get and give of it. */
  boolean recorded;

  /**
   * Whether an {@link Examiner} has chosen it: all its tokens are of one passage then, and where
   * that is broken off it begins again from its prompt.
   */
  boolean examined;

  /** What it gave before it began again. */
  private Given given = Given.NOTHING;

  /** How often in a row nodes released it, without a new token. */
  int releases;

  /** Where it is in; null while it waits. */
  @Nullable Admission place;

  private long pipes; // a bit for each that gave it a token
  private boolean ofOthers; // whether a token may have come through other nodes
  private Walk walk;
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
  boolean away;

  /** Whether any of its rows went to another node in this passage. */
  boolean sent;

  /** Who computes what it waits for; null where it computes itself. See {@link Followers}. */
  @Nullable Sequence leader;

  /** Positions that it follows its leader for. */
  int until;

  /** The turn in which it was computed last, among those of its pipe. */
  long lastTurn;

  /** Whether the turn that is being planned takes it. */
  boolean picked;

  /** What part of a turn's prompt rows it has a right to; of use within {@link TurnPlan} only. */
  int shares;

  int preemptions;
  int cachedTokens = -1;
  final long submittedAt;
  long admittedAt;
  long firstTokenAt;

  Sequence(Request request, Listener listener, Generation generation, Parts parts) {
    this.request = request;
    this.listener = listener;
    this.generation = generation;
    sampler = parts.sampler();
    text = new Text(parts.speller(), request.stops());
    constraint = request.constraint() == null ? null : request.constraint().start();
    arrival = parts.arrival();
    walk = parts.walk();
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
    given = former.given();
    revoked = former.revoked;
    recorded = former.recorded;
    examined = former.examined;
    releases = former.releases;
    pipes = former.pipes;
    ofOthers = former.ofOthers;
    preemptions = former.preemptions;
    cachedTokens = former.cachedTokens;
    admittedAt = former.admittedAt;
    firstTokenAt = former.firstTokenAt;
  }

  /** What the wheel gives to a sequence. */
  record Parts(long arrival, Walk walk, Sampler sampler, Speller speller, int capacity, long now) {}

  @Override
  public Walk walk() {
    return walk;
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
  public boolean recorded() {
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
  int promised() {
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
  Given given() {
    return generated() < given.count()
        ? given
        : new Given(Arrays.copyOfRange(tokens, request.prompt().length, known), text.whole());
  }

  /** Null where a token may follow, or the end; else how that differs from what it gave before. */
  @Nullable String differs(int token, boolean end) {
    return end ? given.endsShort(generated()) : given.differs(generated(), token);
  }

  /** Whether its last token is one that it had not given before. */
  boolean isNews() {
    return generated() > given.count();
  }

  boolean isFull() {
    return known >= most;
  }

  void append(int token) {
    if (known == tokens.length) {
      tokens = Arrays.copyOf(tokens, (int) Math.min(2L * known, Math.max(most, known + 1)));
    }
    tokens[known++] = token;
    releases = isNews() ? 0 : releases;
    if (place != null) {
      pipes |= 1L << place.pipe();
      ofOthers |= place.hasOthers();
    }
  }

  /** Whether it is in that pipe, or has a token from there. */
  boolean isOf(int pipe) {
    return (pipes >>> pipe & 1) == 1 || (place != null && place.pipe() == pipe);
  }

  /** Whether it is in a pipe with other nodes, or has a token that may have come through some. */
  boolean isOfOthers() {
    return ofOthers || (place != null && place.hasOthers());
  }

  /** Whether its pages hold the first that many positions. */
  boolean hasRoomFor(int positions) {
    return pageCount >= Pages.holding(positions);
  }

  void addPage(int page) {
    makeRoom(pageCount + 1);
    pages[pageCount++] = page;
  }

  /** So that a page table of that many can be written to {@link #pages()}. */
  void makeRoom(int count) {
    if (count > pages.length) {
      pages = Arrays.copyOf(pages, Math.max(count, 2 * pages.length));
    }
  }

  /**
   * Gets its place in a pipe, with {@code shared} pages, already in its table, that are computed,
   * and the promise of {@code more}.
   */
  void enter(Admission in, Walk first, long number, int shared, int more) {
    place = in;
    walk = first;
    passage = number;
    sent = false;
    lastTurn = 0;
    promised = more;
    share(shared);
  }

  private void share(int count) {
    pageCount = count;
    filed = count;
    base = count * Pages.SIZE;
    computed = base;
  }

  /** Puts pages that hold its tokens into its table, after the first ones; gives their number. */
  int match(PageLedger ledger, int from) {
    // at least the last token is computed, because its logits are needed
    return ledger.match(tokens, from, (known - 1) / Pages.SIZE, pages);
  }

  /** Shares what is in the index by now, in place of promised pages; not after it began. */
  void takeUp(PageLedger ledger) {
    int before = pageCount;
    int count = match(ledger, before);
    for (int i = before; i < count; i++) {
      ledger.share(pages[i]);
    }
    ledger.waive(count - before);
    promised -= count - before;
    share(count);
  }

  /** Gets the pages it was promised; from now on it computes. */
  void begin(PageLedger ledger) {
    for (; promised > 0; promised--) {
      addPage(ledger.redeem());
    }
  }

  /**
   * The next {@code count} positions are computed; pages that are full now are shared from now on.
   */
  void advance(int count, PageLedger ledger) {
    computed += count;
    for (; (filed + 1) * Pages.SIZE <= computed; filed++) {
      int before = filed == 0 ? PrefixIndex.ROOT : pages[filed - 1];
      pages[filed] = ledger.file(pages[filed], before, tokens, filed * Pages.SIZE);
    }
  }

  /** Leaves the pipe: gives all pages back and has nothing computed. */
  void leave(PageLedger ledger) {
    place = null;
    away = false;
    ledger.release(pages, pageCount);
    ledger.waive(promised);
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
