package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.internal.pipe.KvPages;
import java.util.Arrays;

/**
 * Who has which page. A page is free, in use by one or more sequences, or cached: in use by nobody,
 * but its tokens are in the prefix index and it can be taken up again until it is needed otherwise.
 * Only full pages are shared, and a full page is never written.
 *
 * <p>A sequence refers to all pages from its first on, and gives them back from its last on. So of
 * two cached pages the deeper one is always the longer unused: the oldest cached page has none
 * below it, and taking pages in that order never leaves one in the index whose predecessor is gone.
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

  /** Pages [0, count), all free. Without reuse nothing is ever cached. */
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

  /** How many can be taken. */
  int available() {
    return freeCount + cached - promised;
  }

  /** Keeps pages back for one that will come for them; they must be available. */
  void reserve(int count) {
    promised += count;
  }

  /** A promise is needed no more. */
  void cancelReservation(int count) {
    promised -= count;
  }

  /** A page that was promised. */
  int takeReserved() {
    promised--;
    return take();
  }

  /**
   * A page for one sequence alone, of the free ones or else the longest unused of the cached; -1
   * where there is none.
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
   * Finds the pages of a prefix of the tokens that are in the index, after the {@code from} that
   * are in the table already and up to {@code limit}, and puts them there; takes nothing yet. Gives
   * how many are in the table then.
   */
  int match(int[] tokens, int from, int limit, int[] pages) {
    int count = from;
    int before = from == 0 ? PrefixIndex.ROOT : pages[from - 1];
    while (reuse && count < limit) {
      before = index.find(before, tokens, count * KvPages.SIZE);
      if (before < 0) {
        break;
      }
      pages[count++] = before;
    }
    return count;
  }

  /** How many of the pages nobody uses. */
  int countUnused(int[] pages, int count) {
    int idle = 0;
    for (int i = 0; i < count; i++) {
      idle += references[pages[i]] == 0 ? 1 : 0;
    }
    return idle;
  }

  /** One more sequence uses a page that is in the index. */
  void share(int page) {
    if (references[page]++ == 0) {
      uncache(page);
    }
  }

  /**
   * A page of a sequence is full and computed. Gives the page that the sequence is to use from now
   * on: the one that already holds the same, if another was quicker, because equal tokens have
   * equal keys and values to the bit; the page given is free then.
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

  /** A sequence gives its pages back. */
  void release(int[] pages, int count) {
    for (int i = count - 1; i >= 0; i--) {
      drop(pages[i]);
    }
  }

  /** What is cached holds no longer: nothing is, afterwards. Nobody uses a page that is filed. */
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
   * Finds what is wrong, for tests: every page is exactly one of free, cached and in use; the index
   * is a forest whose inner pages are at least as much used as those below.
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
