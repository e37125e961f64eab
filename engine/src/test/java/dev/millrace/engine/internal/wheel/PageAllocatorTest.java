package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.internal.pipe.KvPages;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PageAllocatorTest {

  /** A sequence that knows of each of its pages which tokens are in and before it. */
  private static final class Holder {
    final int[] tokens;
    int[] pages = new int[16];
    int count;
    int filed;

    Holder(int[] tokens) {
      this.tokens = tokens;
    }
  }

  private static int[] tokens(int pages, int... firsts) {
    int[] tokens = new int[pages * KvPages.SIZE];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = i % KvPages.SIZE == 0 ? firsts[i / KvPages.SIZE] : 5;
    }
    return tokens;
  }

  private static Holder hold(PageAllocator ledger, int... firsts) {
    Holder holder = new Holder(tokens(firsts.length, firsts));
    holder.count = ledger.match(holder.tokens, 0, firsts.length, holder.pages);
    for (int i = 0; i < holder.count; i++) {
      ledger.share(holder.pages[i]);
    }
    holder.filed = holder.count;
    return holder;
  }

  private static void grow(PageAllocator ledger, Holder holder) {
    holder.pages[holder.count++] = ledger.take();
  }

  private static void file(PageAllocator ledger, Holder holder) {
    int i = holder.filed++;
    int before = i == 0 ? PrefixIndex.ROOT : holder.pages[i - 1];
    holder.pages[i] = ledger.addToIndex(holder.pages[i], before, holder.tokens, i * KvPages.SIZE);
  }

  private static void check(PageAllocator ledger, List<Holder> holders) {
    int[] expected = new int[ledger.total()];
    for (Holder holder : holders) {
      for (int i = 0; i < holder.count; i++) {
        expected[holder.pages[i]]++;
      }
    }
    ledger.check(expected);
  }

  private static Holder filled(PageAllocator ledger, int... firsts) {
    Holder holder = hold(ledger, firsts);
    while (holder.count < firsts.length) {
      grow(ledger, holder);
      file(ledger, holder);
    }
    return holder;
  }

  @Test
  void equalBeginningsShareTheirPagesAndNothingElse() {
    PageAllocator ledger = new PageAllocator(10, true);
    Holder one = filled(ledger, 1, 2, 3);
    Holder two = filled(ledger, 1, 2, 4);
    Holder other = filled(ledger, 9, 2, 3);
    assertThat(Arrays.copyOf(two.pages, 2)).isEqualTo(Arrays.copyOf(one.pages, 2));
    assertThat(two.pages[2]).isNotEqualTo(one.pages[2]);
    // the same tokens after others are something else
    assertThat(other.pages[1]).isNotEqualTo(one.pages[1]);
    assertThat(ledger.used()).isEqualTo(7);
    check(ledger, List.of(one, two, other));
  }

  @Test
  void whoFillsAPageThatAnotherFilledMeanwhileGetsThatOne() {
    PageAllocator ledger = new PageAllocator(4, true);
    Holder one = hold(ledger, 1);
    Holder two = hold(ledger, 1);
    grow(ledger, one);
    grow(ledger, two);
    assertThat(ledger.used()).isEqualTo(2);
    file(ledger, one);
    file(ledger, two);
    assertThat(two.pages[0]).isEqualTo(one.pages[0]);
    assertThat(ledger.used()).isEqualTo(1);
    check(ledger, List.of(one, two));
  }

  @Test
  void theLongestUnusedLeafIsTakenFirst() {
    PageAllocator ledger = new PageAllocator(4, true);
    Holder old = filled(ledger, 1, 2);
    Holder young = filled(ledger, 3, 4);
    ledger.release(old.pages, 2);
    ledger.release(young.pages, 2);
    assertThat(ledger.available()).isEqualTo(4);
    assertThat(ledger.free()).isZero();
    assertThat(ledger.take()).isEqualTo(old.pages[1]);
    assertThat(ledger.match(tokens(2, 1, 2), 0, 2, new int[2])).isEqualTo(1);
    assertThat(ledger.take()).isEqualTo(old.pages[0]);
    assertThat(ledger.match(tokens(2, 3, 4), 0, 2, new int[2])).isEqualTo(2);
  }

  @Test
  void aPageThatIsSharedAgainIsNotTaken() {
    PageAllocator ledger = new PageAllocator(3, true);
    Holder first = filled(ledger, 1, 2);
    ledger.release(first.pages, 2);
    Holder again = hold(ledger, 1, 8);
    assertThat(again.count).isEqualTo(1);
    assertThat(ledger.take()).isNotNegative();
    assertThat(ledger.take()).isEqualTo(first.pages[1]);
    assertThat(ledger.take()).isEqualTo(-1);
  }

  @Test
  void promisedPagesAreForNobodyElse() {
    PageAllocator ledger = new PageAllocator(3, true);
    ledger.reserve(2);
    assertThat(ledger.available()).isEqualTo(1);
    assertThat(ledger.take()).isNotNegative();
    assertThat(ledger.take()).isEqualTo(-1);
    assertThat(ledger.takeReserved()).isNotNegative();
    ledger.cancelReservation(1);
    assertThat(ledger.take()).isNotNegative();
    assertThat(ledger.available()).isZero();
    ledger.check(new int[] {1, 1, 1});
  }

  @Test
  void withoutReuseNothingIsCached() {
    PageAllocator ledger = new PageAllocator(3, false);
    Holder first = filled(ledger, 1, 2);
    ledger.release(first.pages, 2);
    assertThat(ledger.cached()).isZero();
    assertThat(hold(ledger, 1, 2).count).isZero();
  }

  @Test
  void theCheckFindsALostPage() {
    PageAllocator ledger = new PageAllocator(2, true);
    ledger.take();
    assertThatThrownBy(() -> ledger.check(new int[2])).hasMessageContaining("miscounted");
  }

  @Test
  void manyRandomOperationsKeepEveryPageAccountedFor() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      PageAllocator ledger = new PageAllocator(6 + random.nextInt(20), random.nextInt(4) > 0);
      List<Holder> holders = new ArrayList<>();
      Map<Integer, String> contents =
          new HashMap<>(); // page -> all tokens to its end, as they were filed
      for (int step = 0; step < 600; step++) {
        step(random, ledger, holders, contents);
        check(ledger, holders);
        for (Holder holder : holders) {
          for (int i = 0; i < holder.filed; i++) {
            assertThat(contents.get(holder.pages[i]))
                .as("seed %d, step %d, page %d", seed, step, holder.pages[i])
                .isEqualTo(content(holder, i));
          }
        }
      }
      for (Holder holder : holders) {
        ledger.release(holder.pages, holder.count);
      }
      check(ledger, List.of());
      assertThat(ledger.available()).as("seed %d", seed).isEqualTo(ledger.total());
    }
  }

  private static String content(Holder holder, int page) {
    return Arrays.toString(Arrays.copyOf(holder.tokens, (page + 1) * KvPages.SIZE));
  }

  private static void step(
      Random random, PageAllocator ledger, List<Holder> holders, Map<Integer, String> contents) {
    if (holders.isEmpty() || random.nextInt(8) == 0) {
      holders.add(hold(ledger, random.ints(6, 0, 2).toArray()));
      return;
    }
    Holder holder = holders.get(random.nextInt(holders.size()));
    if (random.nextInt(12) == 0) {
      ledger.release(holder.pages, holder.count);
      holders.remove(holder);
    } else if (holder.filed < holder.count && random.nextBoolean()) {
      int page = holder.pages[holder.filed];
      file(ledger, holder);
      if (holder.pages[holder.filed - 1] == page) {
        contents.put(page, content(holder, holder.filed - 1));
      }
    } else if (holder.count < 6) {
      int page = ledger.take();
      if (page >= 0) {
        holder.pages[holder.count++] = page;
        contents.remove(page);
      }
    }
  }
}
