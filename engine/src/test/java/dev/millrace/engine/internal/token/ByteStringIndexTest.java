package dev.millrace.engine.internal.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.internal.token.pretokenize.IntList;
import dev.millrace.engine.internal.token.pretokenize.LenientUtf8;
import dev.millrace.engine.token.TestTokenizers;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteStringIndexTest {

  @Test
  void findsWhatAMapFinds() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String[] strings = new String[5000];
    Map<String, Integer> expected = new HashMap<>();
    for (int i = 0; i < strings.length; i++) {
      strings[i] = word(random);
      expected.putIfAbsent(strings[i], i);
    }
    ByteStringIndex table = ByteStringIndex.of(strings);
    for (int i = 0; i < 20_000; i++) {
      String asked = word(random);
      byte[] text = TestTokenizers.utf8("<" + asked + ">");
      assertThat(table.find(text, 1, text.length - 1))
          .as("seed %d: %s", seed, asked)
          .isEqualTo(expected.getOrDefault(asked, -1));
    }
  }

  private static String word(Random random) {
    char[] letters = new char[random.nextInt(4)];
    for (int i = 0; i < letters.length; i++) {
      letters[i] = "abé \u4f60".charAt(random.nextInt(5));
    }
    return new String(letters);
  }

  @Test
  void aPairIsFoundByItsHalves() {
    ByteStringIndex table = ByteStringIndex.of(new String[] {"a b", "ab c", "a bc", "a b"});
    byte[] text = TestTokenizers.utf8("abc");
    assertThat(table.findPair(text, 0, 1, 2)).isZero();
    assertThat(table.findPair(text, 0, 2, 3)).isEqualTo(1);
    assertThat(table.findPair(text, 0, 1, 3)).isEqualTo(2);
    assertThat(table.findPair(text, 1, 2, 3)).isEqualTo(-1);
  }

  @Test
  void allPrefixesAreFoundTheShortestFirst() {
    ByteStringIndex table = ByteStringIndex.of(new String[] {"abc", "b", "a", "abd"});
    IntList found = new IntList();
    byte[] text = TestTokenizers.utf8("abcd");
    table.findPrefixes(text, 0, text.length, found);
    assertThat(found.toArray()).containsExactly(2, 0);
    found.truncate(0);
    table.findPrefixes(text, 0, 2, found);
    assertThat(found.toArray()).containsExactly(2);
  }

  @Test
  void anEscapedByteIsThatByte() {
    ByteStringIndex table = ByteStringIndex.of(new String[] {"x\uDCFFy"});
    assertThat(table.bytes(0)).isEqualTo(new byte[] {'x', (byte) 0xFF, 'y'});
    assertThat(table.find(new byte[] {'x', (byte) 0xFF, 'y'})).isZero();
    assertThat(LenientUtf8.bytes("\uD83D\uDE00")).isEqualTo(TestTokenizers.utf8("\uD83D\uDE00"));
  }

  @Test
  void anEmptyTableFindsNothing() {
    ByteStringIndex table = ByteStringIndex.of(new String[0]);
    assertThat(table.find(new byte[] {'a'})).isEqualTo(-1);
    assertThat(table.find(new byte[0])).isEqualTo(-1);
    assertThat(table.longest()).isZero();
  }
}
