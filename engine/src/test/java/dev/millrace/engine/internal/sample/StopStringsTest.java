package dev.millrace.engine.internal.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.EngineException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class StopStringsTest {

  @Test
  void partOfAStopStringIsHeldBackUntilItIsKnownToBeNone() {
    StopStrings stops = new StopStrings(List.of("<end>"));
    assertThat(stops.push("a <e")).isEqualTo("a ");
    assertThat(stops.push("n")).isEmpty();
    assertThat(stops.push("x <")).isEqualTo("<enx ");
    assertThat(stops.push("end>after")).isEmpty();
    assertThat(stops.isStopped()).isTrue();
    assertThat(stops.match()).isEqualTo("<end>");
    assertThat(stops.push("more")).isEmpty();
    assertThat(stops.flush()).isEmpty();
  }

  @Test
  void theFirstToBeCompleteEndsTheTextAndOfTheseTheLongest() {
    StopStrings earlier = new StopStrings(List.of("abcd", "bc"));
    assertThat(earlier.push("xabcd")).isEqualTo("xa");
    assertThat(earlier.match()).isEqualTo("bc");
    StopStrings longest = new StopStrings(List.of("c", "abc", "bc"));
    assertThat(longest.push("xabcd")).isEqualTo("x");
    assertThat(longest.match()).isEqualTo("abc");
  }

  @Test
  void withoutAStopNothingIsLostAtTheEnd() {
    StopStrings stops = new StopStrings(List.of("aab"));
    assertThat(stops.push("aaaa")).isEqualTo("aa");
    assertThat(stops.flush()).isEqualTo("aa");
    assertThat(stops.isStopped()).isFalse();
    assertThat(new StopStrings(List.of()).push("aaaa")).isEqualTo("aaaa");
  }

  @Test
  void anEmptyStopStringIsRejected() {
    assertThatThrownBy(() -> new StopStrings(List.of("a", "")))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("number 1 is empty");
  }

  @Test
  void theOutcomeDoesNotDependOnTheCutsAndIsThatOfAPlainSearch() {
    for (int seed = 0; seed < 5000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<String> stops =
          Stream.generate(() -> text(random, 1 + random.nextInt(5)))
              .limit(1 + random.nextInt(3))
              .toList();
      String text = text(random, random.nextInt(30));
      StopStrings matcher = new StopStrings(stops);
      StringBuilder shown = new StringBuilder();
      for (int at = 0; at < text.length(); ) {
        int next = Math.min(text.length(), at + random.nextInt(6));
        shown.append(matcher.push(text.substring(at, next)));
        at = next;
      }
      shown.append(matcher.flush());
      assertThat(shown).as("seed %d: %s in %s", seed, stops, text).hasToString(plain(stops, text));
    }
  }

  private static String plain(List<String> stops, String text) {
    for (int end = 1; end <= text.length(); end++) {
      String head = text.substring(0, end);
      int longest = stops.stream().filter(head::endsWith).mapToInt(String::length).max().orElse(0);
      if (longest > 0) {
        return head.substring(0, end - longest);
      }
    }
    return text;
  }

  private static String text(SplittableRandom random, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append((char) ('a' + random.nextInt(3)));
    }
    return text.toString();
  }
}
