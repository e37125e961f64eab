package dev.millrace.engine.internal.token;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PairMergerTest {

  /** The simple way: search all pairs, join the best, start again. */
  private static List<String> slow(byte[] text, PairMerger.Priority priority) {
    List<int[]> symbols = new ArrayList<>();
    for (int i = 0; i < text.length; i++) {
      symbols.add(new int[] {i, i + 1});
    }
    while (true) {
      int best = -1;
      int urgency = PairMerger.NEVER;
      for (int i = 0; i + 1 < symbols.size(); i++) {
        int here = priority.of(text, symbols.get(i)[0], symbols.get(i)[1], symbols.get(i + 1)[1]);
        if (here < urgency) {
          best = i;
          urgency = here;
        }
      }
      if (best < 0) {
        return symbols.stream().map(s -> new String(text, s[0], s[1] - s[0])).toList();
      }
      symbols.get(best)[1] = symbols.remove(best + 1)[1];
    }
  }

  private static List<String> fast(byte[] text, PairMerger merging) {
    merging.begin(text);
    for (int i = 0; i < text.length; i++) {
      merging.add(i, i + 1);
    }
    merging.run();
    List<String> symbols = new ArrayList<>();
    for (int s = merging.first(); s < merging.end(); s = merging.next(s)) {
      symbols.add(new String(text, merging.from(s), merging.to(s) - merging.from(s)));
    }
    return symbols;
  }

  @Test
  void theBestPairIsJoinedFirstAndTheLeftmostOfEqualOnes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      int salt = random.nextInt();
      int depth = 2 + random.nextInt(8);
      // a third of all pairs join; few different priorities, so that many are equal
      PairMerger.Priority priority =
          (text, from, middle, to) -> {
            int hash = (new String(text, from, to - from).hashCode() ^ salt) * 0x9E3779B9 >>> 8;
            return to - from > depth || hash % 3 != 0 ? PairMerger.NEVER : hash % 7 - 3;
          };
      PairMerger merging = new PairMerger(priority);
      for (int word = 0; word < 5; word++) {
        byte[] text = new byte[random.nextInt(200)];
        for (int i = 0; i < text.length; i++) {
          text[i] = (byte) ('a' + random.nextInt(3));
        }
        assertThat(fast(text, merging)).as("seed %d", seed).isEqualTo(slow(text, priority));
      }
    }
  }
}
