package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.internal.pipe.KvPageSize;
import java.util.Arrays;

/**
 * Allocates the pages of the KV cache to sequences. A page is free, in use by one or more
 * sequences, or cached: in use by none, but with its tokens in the prefix index, and reusable until
 * the page is needed. Only full pages are shared, and a full page is never written.
 *
 * <p>A sequence takes its pages from the first to the last, and returns them from the last to the
 * first. So of two cached pages the deeper one is always unused for longer: the oldest cached page
 * has none below it, and evicting pages in that order never leaves one in the index whose
 * predecessor is gone.
 */
final class PageAllocator {
  private final int[] references;
  private final int[] free;
  private int freeCount;
  private final int[] older; // of cached pages
  private final int[] newer;
  private int oldest = -1;
  private int newest = -1;
  private int cached;
  private int promised;
  private final boolean reuse;
  private final PrefixIndex index;

  /** Pages [0, count), all free. Without reuse no page is ever cached. */
  PageAllocator(int count, boolean reuse) {
    this.reuse = reuse;
    references = new int[count];
    free = new int[count];
    older = new int[count];
    newer = new int[count];
    index = new PrefixIndex(count);
    freeCount = count;
    Arrays.setAll(free, i -> count - 1 - i);
  }

  int total() {
    return references.length;
  }

  int free() {
    return freeCount;
  }

  int cached() {
    return cached;
  }

  int used() {
    return total() - freeCount - cached;
  }

  int reserved() {
    return promised;
  }

  /** The number of pages that can be taken. */
  int available() {
    return freeCount + cached - promised;
  }

  /** Reserves pages for a sequence that will take them later; they must be available. */
  void reserve(int count) {
    promised += count;
  }

  /** Cancels a reservation. */
  void cancelReservation(int count) {
    promised -= count;
  }

  /** Takes a reserved page. */
  int takeReserved() {
    promised--;
    return take();
  }

  /**
   * Takes a page for one sequence alone: a free one, or else the longest unused of the cached; -1
   * if there is none.
   */
  int take() {
    if (available() == 0) {
      return -1;
    }
    int page;
    if (freeCount > 0) {
      page = free[--freeCount];
    } else {
      page = oldest;
      uncache(page);
      index.remove(page);
    }
    references[page] = 1;
    return page;
  }

  /**
   * Finds the pages in the index for a prefix of the tokens, after the {@code from} that are in the
   * table already and up to {@code limit}, and writes them to the table; takes none yet. Returns
   * the number of pages in the table then.
   */
  int match(int[] tokens, int from, int limit, int[] pages) {
    int count = from;
    int before = from == 0 ? PrefixIndex.ROOT : pages[from - 1];
    while (reuse && count < limit) {
      before = index.find(before, tokens, count * KvPageSize.POSITIONS);
      if (before < 0) {
        break;
      }
      pages[count++] = before;
    }
    return count;
  }

  /** The number of the pages that no sequence uses. */
  int countUnused(int[] pages, int count) {
    int idle = 0;
    for (int i = 0; i < count; i++) {
      idle += references[pages[i]] == 0 ? 1 : 0;
    }
    return idle;
  }

  /** The number of the pages that one sequence alone uses. */
  int countUnshared(int[] pages, int count) {
    int unshared = 0;
    for (int i = 0; i < count; i++) {
      unshared += references[pages[i]] == 1 ? 1 : 0;
    }
    return unshared;
  }

  /** Adds one more user to an indexed page. */
  void share(int page) {
    if (references[page]++ == 0) {
      uncache(page);
    }
  }

  /**
   * Indexes a page of a sequence that is full and computed. Returns the page that the sequence must
   * use from now on: an existing page with the same tokens, if another sequence was faster, because
   * equal tokens have equal keys and values to the bit; the given page is free then.
   */
  int addToIndex(int page, int before, int[] tokens, int offset) {
    if (!reuse) {
      return page;
    }
    int known = index.find(before, tokens, offset);
    if (known < 0) {
      index.add(page, before, tokens, offset);
      return page;
    }
    share(known);
    drop(page);
    return known;
  }

  /** Returns the pages of a sequence. */
  void release(int[] pages, int count) {
    for (int i = count - 1; i >= 0; i--) {
      drop(pages[i]);
    }
  }

  /**
   * Drops all cached pages: their content is not valid any more. No sequence uses an indexed page.
   */
  void dropCached() {
    while (oldest >= 0) {
      int page = oldest;
      uncache(page);
      index.remove(page);
      free[freeCount++] = page;
    }
  }

  private void drop(int page) {
    if (--references[page] > 0) {
      return;
    }
    if (index.contains(page)) {
      cache(page);
    } else {
      free[freeCount++] = page;
    }
  }

  private void cache(int page) {
    older[page] = newest;
    newer[page] = -1;
    if (newest >= 0) {
      newer[newest] = page;
    } else {
      oldest = page;
    }
    newest = page;
    cached++;
  }

  private void uncache(int page) {
    if (older[page] >= 0) {
      newer[older[page]] = newer[page];
    } else {
      oldest = newer[page];
    }
    if (newer[page] >= 0) {
      older[newer[page]] = older[page];
    } else {
      newest = older[page];
    }
    cached--;
  }

  /**
   * For tests: checks the bookkeeping: every page is exactly one of free, cached and in use; the
   * index is a forest whose inner pages are at least as much used as those below.
   *
   * @param expected how many sequences use each page
   */
  void check(int[] expected) {
    int[] seen = new int[total()];
    for (int i = 0; i < freeCount; i++) {
      seen[free[i]]++;
      require(
          references[free[i]] == 0 && !index.contains(free[i]),
          "a free page is in use or indexed",
          free[i]);
    }
    int count = 0;
    for (int page = oldest; page >= 0; page = newer[page]) {
      seen[page]++;
      count++;
      require(
          references[page] == 0 && index.contains(page),
          "a cached page is in use or not indexed",
          page);
    }
    require(count == cached, "cached pages are miscounted", count);
    require(promised >= 0 && available() >= 0, "promises cannot be kept", promised);
    for (int page = 0; page < total(); page++) {
      require(references[page] == expected[page], "references are miscounted", page);
      require(
          seen[page] == (references[page] == 0 ? 1 : 0), "a page is lost, or is two things", page);
      int before = index.contains(page) ? index.parentOf(page) : PrefixIndex.ROOT;
      require(
          before == PrefixIndex.ROOT
              || (index.contains(before) && references[before] >= references[page]),
          "an indexed page's predecessor is gone or less used",
          page);
    }
  }

  private static void require(boolean holds, String what, int page) {
    if (!holds) {
      throw new IllegalStateException("page ledger: " + what + ": " + page);
    }
  }
}
