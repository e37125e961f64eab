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

  /** Its place in the order of submissions: the lower, the stronger its claim on pages. */
  final long claim;

  /** Set where its prior tokens make it complete. */
  @Nullable Finish complete;

  private final Walk walk;
  private final int most; // tokens
  private int[] tokens;
  private int known;
  private int computed;
  private int[] pages = new int[4];
  private int pageCount;
  private int filed; // pages
  private int base;
  private long passage;

  /** Whether it is on its way through other nodes. */
  boolean away;

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
    claim = parts.claim();
    walk = parts.walk();
    submittedAt = parts.now();
    int prompt = request.prompt().length;
    most = (int) Math.min((long) prompt + request.maxTokens(), parts.capacity());
    known = prompt + request.prior().length;
    tokens = Arrays.copyOf(request.prompt(), Math.min(known + 64, Math.max(most, known)));
    System.arraycopy(request.prior(), 0, tokens, prompt, request.prior().length);
  }

  /** What the wheel gives to a sequence. */
  record Parts(long claim, Walk walk, Sampler sampler, Speller speller, int capacity, long now) {}

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

  int known() {
    return known;
  }

  int computed() {
    return computed;
  }

  int pageCount() {
    return pageCount;
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

  int[] generatedTokens() {
    return Arrays.copyOfRange(tokens, request.prompt().length, known);
  }

  boolean isFull() {
    return known >= most;
  }

  void append(int token) {
    if (known == tokens.length) {
      tokens = Arrays.copyOf(tokens, (int) Math.min(2L * known, Math.max(most, known + 1)));
    }
    tokens[known++] = token;
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

  /** Enters the pipe with {@code shared} pages, already in its table, that are computed. */
  void enter(long number, int shared) {
    passage = number;
    pageCount = shared;
    filed = shared;
    base = shared * Pages.SIZE;
    computed = base;
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
    ledger.release(pages, pageCount);
    pageCount = 0;
    filed = 0;
    base = 0;
    computed = 0;
  }
}
