package dev.millrace.engine.internal.match;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class AhoCorasickTest {
  @Test
  void itFindsWhatAPlainSearchFindsTheLongestFirst() {
    for (int seed = 0; seed < 2000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Set<String> different = new LinkedHashSet<>();
      for (int i = 1 + random.nextInt(8); i > 0; i--) {
        different.add(text(random, 1 + random.nextInt(5)));
      }
      List<String> texts = List.copyOf(different);
      AhoCorasick search = new AhoCorasick(texts);
      String whole = text(random, 30);
      int state = 0;
      for (int end = 1; end <= whole.length(); end++) {
        state = search.next(state, whole.charAt(end - 1));
        String read = whole.substring(0, end);
        List<String> found = new ArrayList<>();
        for (int i = search.longest(state); i >= 0; i = search.nextShorter(i)) {
          found.add(texts.get(i));
        }
        assertThat(found)
            .as("seed %d: %s in %s", seed, texts, read)
            .isEqualTo(
                texts.stream()
                    .filter(read::endsWith)
                    .sorted(Comparator.comparingInt(String::length).reversed())
                    .toList());
        assertThat(search.matched(state)).as("seed %d", seed).isEqualTo(begun(texts, read));
      }
    }
  }

  /** The longest end of the text that begins one of the texts. */
  private static int begun(List<String> texts, String read) {
    int from = 0;
    while (true) {
      String end = read.substring(from);
      if (texts.stream().anyMatch(text -> text.startsWith(end))) {
        return end.length();
      }
      from++;
    }
  }

  private static String text(SplittableRandom random, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append((char) ('a' + random.nextInt(3)));
    }
    return text.toString();
  }
}
