package dev.millrace.engine.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.internal.token.ByteAlphabet;
import dev.millrace.engine.internal.token.pretokenize.CodePointText;
import dev.millrace.engine.internal.token.pretokenize.PreTokenizerRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenizerPropertiesTest {
  private static final List<String> MERGES =
      List.of("h e", "l l", "he ll", "\u0120 \u0120", "\u00C3 \u00A9", "1 2", "a a", "aa aa");
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  static List<String> byteLevelNames() {
    return PreTokenizerRegistry.names().stream()
        .filter(name -> PreTokenizerRegistry.named(name).bytes())
        .toList();
  }

  /** Any text without lone surrogates. */
  private String text() {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(60); length > 0; length--) {
      int point =
          switch (random.nextInt(6)) {
            case 0 -> "hello he'll  \n\r\t 12345".codePointAt(random.nextInt(22));
            case 1 -> random.nextInt(0x80);
            case 2 -> random.nextInt(0x800);
            case 3 -> 0x2000 + random.nextInt(0x1100);
            case 4 -> random.nextInt(0xD800);
            default -> 0x10000 + random.nextInt(0x20000);
          };
      text.appendCodePoint(point);
    }
    return text.toString();
  }

  @ParameterizedTest
  @MethodSource("byteLevelNames")
  void byteLevelTokensSpellTheTextExactly(String pre) {
    Tokenizer tokenizer = TestTokenizers.tokenizer(TestTokenizers.byteLevel(pre, MERGES, "<s>"));
    for (int i = 0; i < 60; i++) {
      String text = text();
      int[] tokens = tokenizer.encode(text, false, false);
      assertThat(tokenizer.decode(tokens)).as("seed %d", seed).isEqualTo(text);
    }
  }

  @Test
  void sentencePieceTokensSpellTheTextExactly() {
    Tokenizer tokenizer =
        TestTokenizers.tokenizer(
            TestTokenizers.spm("h", "e", "he", "\u2581", "\u2581he", "\u00E9"));
    for (int i = 0; i < 300; i++) {
      String text = text().replace('\u2581', '-'); // which means a space
      assertThat(tokenizer.decode(tokenizer.encode(text, true, false)))
          .as("seed %d", seed)
          .isEqualTo(text);
    }
  }

  /** The text after each token is what the bytes so far determine. */
  @Test
  void decodingInPiecesNeverSplitsACharacter() {
    Tokenizer tokenizer =
        TestTokenizers.tokenizer(TestTokenizers.byteLevel("gpt-2", MERGES, "<s>", "<|im_end|>"));
    for (int i = 0; i < 300; i++) {
      String expected = text();
      TokenDecoder decoder = tokenizer.decoder();
      StringBuilder text = new StringBuilder();
      int bytes = 0;
      for (int token : tokenizer.encode(expected, false, false)) {
        bytes += tokenizer.bytes(token).length;
        text.append(decoder.next(token));
        assertThat(expected).as("seed %d", seed).startsWith(text);
        assertThat(TestTokenizers.utf8(text.toString()).length)
            .as("seed %d", seed)
            .isBetween(bytes - 3, bytes);
      }
      assertThat(text).as("seed %d", seed).hasToString(expected);
      assertThat(decoder.end()).isEmpty();
    }
  }

  /** Random tokens, whose bytes need not be text at all: each byte alone, or as they come. */
  @Test
  void decodingInPiecesIsDecodingAtOnce() {
    Tokenizer tokenizer =
        TestTokenizers.tokenizer(TestTokenizers.byteLevel("gpt-2", MERGES, "<s>"));
    for (int i = 0; i < 500; i++) {
      int[] tokens = random.ints(random.nextInt(40), 0, tokenizer.size()).toArray();
      java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
      for (int token : tokens) {
        bytes.writeBytes(tokenizer.bytes(token));
      }
      TokenDecoder decoder = tokenizer.decoder();
      StringBuilder text = new StringBuilder();
      for (byte b : bytes.toByteArray()) {
        byte[] character = new byte[2];
        int length = ByteAlphabet.put(b, character, 0);
        String name = new String(character, 0, length, StandardCharsets.UTF_8);
        text.append(decoder.next(tokenizer.id(name).orElseThrow()));
      }
      text.append(decoder.end());
      assertThat(tokenizer.decode(tokens)).as("seed %d", seed).isEqualTo(text.toString());
    }
  }

  @Test
  void bytesThatAreNotUtf8AreReplacedNotRejected() {
    Tokenizer bytes = TestTokenizers.tokenizer(TestTokenizers.byteLevel("gpt-2", MERGES));
    Tokenizer pieces = TestTokenizers.tokenizer(TestTokenizers.spm("a", "\u2581"));
    byte[] broken = {'a', (byte) 0xFF, (byte) 0xE4, (byte) 0xBD, 'a', (byte) 0xF0, (byte) 0x9F};
    assertThat(bytes.decode(bytes.encode(broken, false, false)))
        .isEqualTo("a\uFFFD\uFFFD\uFFFDa\uFFFD\uFFFD");
    assertThat(pieces.decode(pieces.encode(broken, false, false)))
        .isEqualTo("a\uFFFD\uFFFDa\uFFFD");
    for (int i = 0; i < 300; i++) {
      byte[] noise = new byte[random.nextInt(50)];
      random.nextBytes(noise);
      CodePointText points = CodePointText.of(noise, 0, noise.length);
      int[] tokens = bytes.encode(noise, false, true);
      assertThat(bytes.decode(tokens))
          .as("seed %d", seed)
          .hasSizeGreaterThanOrEqualTo(points.size());
      assertThat(pieces.encode(noise, false, true))
          .as("seed %d", seed)
          .hasSizeGreaterThanOrEqualTo(noise.length);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", " ", "\n", "1", " x", "\u4f60", "'", "A", "~", "\u0301"})
  void aLongRowOfTheSameTakesNoTime(String unit) {
    // quadratic work on it would be some 10^10 steps
    byte[] text =
        TestTokenizers.utf8(unit.repeat(200_000 / TestTokenizers.utf8(unit).length) + "5");
    for (String pre : List.of("llama-bpe", "gpt-2", "deepseek-llm", "tekken", "falcon")) {
      Tokenizer tokenizer = TestTokenizers.tokenizer(TestTokenizers.byteLevel(pre, MERGES, "<s>"));
      check(tokenizer, text);
    }
    check(TestTokenizers.tokenizer(TestTokenizers.spm("a", "aa", "\u2581", "\u2581\u2581")), text);
    check(TestTokenizers.tokenizer(TestTokenizers.wordPiece("\u2581a", "a", "aa", "5")), text);
  }

  private static void check(Tokenizer tokenizer, byte[] text) {
    int[] tokens =
        Assertions.assertTimeout(Duration.ofSeconds(10), () -> tokenizer.encode(text, true, true));
    assertThat(tokens).isNotEmpty();
  }
}
