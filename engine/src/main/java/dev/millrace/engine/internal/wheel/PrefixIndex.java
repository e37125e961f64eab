package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.internal.pipe.KvPageSize;
import java.util.Arrays;

/**
 * Finds full pages by their content. A page is identified by the page before it and its own tokens,
 * so two pages are the same exactly if all tokens up to their end are. The hash over the chain only
 * finds the candidate; the tokens decide. With a hash alone, of whatever width, a forged collision
 * would give access to another user's context.
 */
final class PrefixIndex {
  /** The parent of a sequence's first page. */
  static final int ROOT = -1;

  private static final int NONE = -2;

  private final int[] heads; // bucket -> page
  private final int[] next; // page -> page of the same bucket
  private final int[] parent; // page -> page, ROOT, or NONE where it is not in the index
  private final long[] hash;
  private final int[] tokens; // (page, KvPageSize.SIZE)

  PrefixIndex(int pages) {
    heads = new int[Integer.highestOneBit(Math.max(pages, 1)) * 2];
    next = new int[pages];
    parent = new int[pages];
    hash = new long[pages];
    tokens = new int[Math.multiplyExact(pages, KvPageSize.POSITIONS)];
    Arrays.fill(heads, NONE);
    Arrays.fill(parent, NONE);
  }

  /**
   * The page with the tokens from {@code offset} that follows {@code before}; -1 if there is none.
   */
  int find(int before, int[] from, int offset) {
    long sought = hash(before, from, offset);
    for (int page = heads[bucket(sought)]; page != NONE; page = next[page]) {
      if (hash[page] == sought && parent[page] == before && same(page, from, offset)) {
        return page;
      }
    }
    return -1;
  }

  private boolean same(int page, int[] from, int offset) {
    int own = page * KvPageSize.POSITIONS;
    return Arrays.equals(
        tokens, own, own + KvPageSize.POSITIONS, from, offset, offset + KvPageSize.POSITIONS);
  }

  void add(int page, int before, int[] from, int offset) {
    parent[page] = before;
    hash[page] = hash(before, from, offset);
    System.arraycopy(from, offset, tokens, page * KvPageSize.POSITIONS, KvPageSize.POSITIONS);
    int bucket = bucket(hash[page]);
    next[page] = heads[bucket];
    heads[bucket] = page;
  }

  void remove(int page) {
    int bucket = bucket(hash[page]);
    if (heads[bucket] == page) {
      heads[bucket] = next[page];
    } else {
      int at = heads[bucket];
      while (next[at] != page) {
        at = next[at];
      }
      next[at] = next[page];
    }
    parent[page] = NONE;
  }

  boolean contains(int page) {
    return parent[page] != NONE;
  }

  /** The page before an indexed one; {@link #ROOT} before a first one. */
  int parentOf(int page) {
    return parent[page];
  }

  private int bucket(long of) {
    return (int) (of >>> 32) & heads.length - 1;
  }

  private long hash(int before, int[] from, int offset) {
    long h = before == ROOT ? 0x9E3779B97F4A7C15L : hash[before];
    for (int i = 0; i < KvPageSize.POSITIONS; i++) {
      h = (h ^ from[offset + i]) * 0xBF58476D1CE4E5B9L;
      h ^= h >>> 29;
    }
    return h;
  }
}
