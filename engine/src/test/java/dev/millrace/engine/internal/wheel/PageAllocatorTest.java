package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.internal.pipe.KvPageSize;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PageAllocatorTest {

  /** A sequence that knows the tokens of each of its pages, and those before them. */
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
    int[] tokens = new int[pages * KvPageSize.POSITIONS];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = i % KvPageSize.POSITIONS == 0 ? firsts[i / KvPageSize.POSITIONS] : 5;
    }
    return tokens;
  }

  private static Holder hold(PageAllocator allocator, int... firsts) {
    Holder holder = new Holder(tokens(firsts.length, firsts));
    holder.count = allocator.match(holder.tokens, 0, firsts.length, holder.pages);
    for (int i = 0; i < holder.count; i++) {
      allocator.share(holder.pages[i]);
    }
    holder.filed = holder.count;
    return holder;
  }

  private static void grow(PageAllocator allocator, Holder holder) {
    holder.pages[holder.count++] = allocator.take();
  }

  private static void file(PageAllocator allocator, Holder holder) {
    int i = holder.filed++;
    int before = i == 0 ? PrefixIndex.ROOT : holder.pages[i - 1];
    holder.pages[i] =
        allocator.addToIndex(holder.pages[i], before, holder.tokens, i * KvPageSize.POSITIONS);
  }

  private static void check(PageAllocator allocator, List<Holder> holders) {
    int[] expected = new int[allocator.total()];
    for (Holder holder : holders) {
      for (int i = 0; i < holder.count; i++) {
        expected[holder.pages[i]]++;
      }
    }
    allocator.check(expected);
  }

  private static Holder filled(PageAllocator allocator, int... firsts) {
    Holder holder = hold(allocator, firsts);
    while (holder.count < firsts.length) {
      grow(allocator, holder);
      file(allocator, holder);
    }
    return holder;
  }

  @Test
  void equalPrefixesShareTheirPagesAndNothingElse() {
    PageAllocator allocator = new PageAllocator(10, true);
    Holder one = filled(allocator, 1, 2, 3);
    Holder two = filled(allocator, 1, 2, 4);
    Holder other = filled(allocator, 9, 2, 3);
    assertThat(Arrays.copyOf(two.pages, 2)).isEqualTo(Arrays.copyOf(one.pages, 2));
    assertThat(two.pages[2]).isNotEqualTo(one.pages[2]);
    // the same tokens after other tokens are a different page
    assertThat(other.pages[1]).isNotEqualTo(one.pages[1]);
    assertThat(allocator.used()).isEqualTo(7);
    check(allocator, List.of(one, two, other));
  }

  @Test
  void aSequenceThatFillsAnIndexedPageAgainGetsTheIndexedOne() {
    PageAllocator allocator = new PageAllocator(4, true);
    Holder one = hold(allocator, 1);
    Holder two = hold(allocator, 1);
    grow(allocator, one);
    grow(allocator, two);
    assertThat(allocator.used()).isEqualTo(2);
    file(allocator, one);
    file(allocator, two);
    assertThat(two.pages[0]).isEqualTo(one.pages[0]);
    assertThat(allocator.used()).isEqualTo(1);
    check(allocator, List.of(one, two));
  }

  @Test
  void theLongestUnusedLeafIsTakenFirst() {
    PageAllocator allocator = new PageAllocator(4, true);
    Holder old = filled(allocator, 1, 2);
    Holder young = filled(allocator, 3, 4);
    allocator.release(old.pages, 2);
    allocator.release(young.pages, 2);
    assertThat(allocator.available()).isEqualTo(4);
    assertThat(allocator.free()).isZero();
    assertThat(allocator.take()).isEqualTo(old.pages[1]);
    assertThat(allocator.match(tokens(2, 1, 2), 0, 2, new int[2])).isEqualTo(1);
    assertThat(allocator.take()).isEqualTo(old.pages[0]);
    assertThat(allocator.match(tokens(2, 3, 4), 0, 2, new int[2])).isEqualTo(2);
  }

  @Test
  void aPageThatIsSharedAgainIsNotEvicted() {
    PageAllocator allocator = new PageAllocator(3, true);
    Holder first = filled(allocator, 1, 2);
    allocator.release(first.pages, 2);
    Holder again = hold(allocator, 1, 8);
    assertThat(again.count).isEqualTo(1);
    assertThat(allocator.take()).isNotNegative();
    assertThat(allocator.take()).isEqualTo(first.pages[1]);
    assertThat(allocator.take()).isEqualTo(-1);
  }

  @Test
  void reservedPagesCannotBeTakenByOthers() {
    PageAllocator allocator = new PageAllocator(3, true);
    allocator.reserve(2);
    assertThat(allocator.available()).isEqualTo(1);
    assertThat(allocator.take()).isNotNegative();
    assertThat(allocator.take()).isEqualTo(-1);
    assertThat(allocator.takeReserved()).isNotNegative();
    allocator.cancelReservation(1);
    assertThat(allocator.take()).isNotNegative();
    assertThat(allocator.available()).isZero();
    allocator.check(new int[] {1, 1, 1});
  }

  @Test
  void withoutReuseNothingIsCached() {
    PageAllocator allocator = new PageAllocator(3, false);
    Holder first = filled(allocator, 1, 2);
    allocator.release(first.pages, 2);
    assertThat(allocator.cached()).isZero();
    assertThat(hold(allocator, 1, 2).count).isZero();
  }

  @Test
  void theCheckFindsALostPage() {
    PageAllocator allocator = new PageAllocator(2, true);
    allocator.take();
    assertThatThrownBy(() -> allocator.check(new int[2])).hasMessageContaining("miscounted");
  }

  @Test
  void manyRandomOperationsKeepEveryPageAccountedFor() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      PageAllocator allocator = new PageAllocator(6 + random.nextInt(20), random.nextInt(4) > 0);
      List<Holder> holders = new ArrayList<>();
      Map<Integer, String> contents =
          new HashMap<>(); // page -> all tokens to its end, as they were indexed
      for (int step = 0; step < 600; step++) {
        step(random, allocator, holders, contents);
        check(allocator, holders);
        for (Holder holder : holders) {
          for (int i = 0; i < holder.filed; i++) {
            assertThat(contents.get(holder.pages[i]))
                .as("seed %d, step %d, page %d", seed, step, holder.pages[i])
                .isEqualTo(content(holder, i));
          }
        }
      }
      for (Holder holder : holders) {
        allocator.release(holder.pages, holder.count);
      }
      check(allocator, List.of());
      assertThat(allocator.available()).as("seed %d", seed).isEqualTo(allocator.total());
    }
  }

  private static String content(Holder holder, int page) {
    return Arrays.toString(Arrays.copyOf(holder.tokens, (page + 1) * KvPageSize.POSITIONS));
  }

  private static void step(
      Random random, PageAllocator allocator, List<Holder> holders, Map<Integer, String> contents) {
    if (holders.isEmpty() || random.nextInt(8) == 0) {
      holders.add(hold(allocator, random.ints(6, 0, 2).toArray()));
      return;
    }
    Holder holder = holders.get(random.nextInt(holders.size()));
    if (random.nextInt(12) == 0) {
      allocator.release(holder.pages, holder.count);
      holders.remove(holder);
    } else if (holder.filed < holder.count && random.nextBoolean()) {
      int page = holder.pages[holder.filed];
      file(allocator, holder);
      if (holder.pages[holder.filed - 1] == page) {
        contents.put(page, content(holder, holder.filed - 1));
      }
    } else if (holder.count < 6) {
      int page = allocator.take();
      if (page >= 0) {
        holder.pages[holder.count++] = page;
        contents.remove(page);
      }
    }
  }
}
