package dev.millrace.engine.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TokenizerTest {
  private static final int FIRST = 259; // the id of the first word of an SPM vocabulary

  private static Tokenizer spm(String... words) {
    return TestTokenizers.tokenizer(TestTokenizers.spm(words));
  }

  private static int[] ids(Tokenizer tokenizer, String... texts) {
    return List.of(texts).stream().mapToInt(text -> tokenizer.id(text).orElseThrow()).toArray();
  }

  @Test
  void theHigherScoreIsJoinedFirst() {
    Tokenizer tokenizer = spm("bc", "ab", "a", "b", "c", "\u2581", "\u2581a");
    assertThat(tokenizer.encode("abc", false, false)).isEqualTo(ids(tokenizer, "\u2581a", "bc"));
  }

  @Test
  void aCharacterThatIsNotATokenIsSplitIntoItsBytes() {
    Tokenizer tokenizer = spm("\u2581", "x");
    assertThat(tokenizer.encode("x\u00E9", true, false))
        .isEqualTo(ids(tokenizer, "<s>", "\u2581", "x", "<0xC3>", "<0xA9>"));
  }

  @Test
  void theLeadingSpaceIsAddedAfterSpecialTokensAndTakenAway() {
    Tokenizer tokenizer = spm("\u2581", "x", "\u2581x");
    int[] tokens = tokenizer.encode("x</s>x", true, true);
    assertThat(tokens).isEqualTo(ids(tokenizer, "<s>", "\u2581x", "</s>", "\u2581x"));
    assertThat(tokenizer.decode(tokens)).isEqualTo("x x");
    assertThat(tokenizer.decoder().next(tokens[1])).as("continued").isEqualTo(" x");
    TokenDecoder shown = tokenizer.decoder().fromStart().withSpecial();
    assertThat(shown.next(tokens[0]) + shown.next(tokens[1]) + shown.next(tokens[2]))
        .isEqualTo("<s>x</s>");
    TokenDecoder one = tokenizer.decoder().fromStart().showing(Set.of(tokens[2]));
    assertThat(one.next(tokens[0]) + one.next(tokens[1]) + one.next(tokens[2]))
        .as("one control token is shown")
        .isEqualTo("x</s>");

    Map<String, Object> values = TestTokenizers.spm("\u2581", "x");
    values.put("tokenizer.ggml.add_space_prefix", false);
    Tokenizer plain = TestTokenizers.tokenizer(values);
    assertThat(plain.encode("x", false, false)).isEqualTo(ids(plain, "x"));
    assertThat(plain.decode(plain.encode(" x", false, false))).isEqualTo(" x");
  }

  @Test
  void controlTokensAreTextUnlessRequested() {
    Tokenizer tokenizer =
        TestTokenizers.tokenizer(TestTokenizers.byteLevel("gpt-2", List.of(), "<s>", "<|im_end|>"));
    assertThat(tokenizer.encode("a<s>", false, true)).isEqualTo(ids(tokenizer, "a", "<s>"));
    assertThat(tokenizer.encode("a<s>", false, false))
        .isEqualTo(ids(tokenizer, "a", "<", "s", ">"));
    assertThat(tokenizer.decode(ids(tokenizer, "a", "<s>"))).isEqualTo("a");
  }

  @Test
  void definedTokensAreAlwaysFound() {
    Map<String, Object> values = TestTokenizers.byteLevel("gpt-2", List.of(), "<b>", "<u>");
    ((long[]) values.get("tokenizer.ggml.token_type"))[257] = 4;
    Tokenizer tokenizer = TestTokenizers.tokenizer(values);
    assertThat(tokenizer.encode("<u>", false, false)).isEqualTo(ids(tokenizer, "<u>"));
    assertThat(tokenizer.isControl(257)).isFalse();
    assertThat(tokenizer.decode(new int[] {257})).isEqualTo("<u>");
  }

  /** A single pass over the text would find "abc" first. */
  @Test
  void theLongerSpecialTokenWinsWhereverItStands() {
    Tokenizer tokenizer =
        TestTokenizers.tokenizer(TestTokenizers.byteLevel("gpt-2", List.of(), "abc", "bcde", "cc"));
    assertThat(tokenizer.encode("abcde", false, true)).isEqualTo(ids(tokenizer, "a", "bcde"));
    assertThat(tokenizer.encode("ccccc", false, true)).isEqualTo(ids(tokenizer, "cc", "cc", "c"));
    assertThat(tokenizer.encode("bcdeabc", false, true)).isEqualTo(ids(tokenizer, "bcde", "abc"));
  }

  @Test
  void someModelsTokensSwallowTheSpaceBehindThem() {
    Map<String, Object> values =
        TestTokenizers.byteLevel("gpt-2", List.of(), "<|user|>", "<|endoftext|>");
    values.put("general.name", "Phi-3-mini");
    Tokenizer tokenizer = TestTokenizers.tokenizer(values);
    assertThat(tokenizer.encode("<|user|> \n a<|endoftext|> ", false, true))
        .isEqualTo(ids(tokenizer, "<|user|>", "a", "<|endoftext|>", "\u0120"));
    assertThat(tokenizer.encode("<|user|>  <|user|>", false, true))
        .isEqualTo(ids(tokenizer, "<|user|>", "<|user|>"));
  }

  @Test
  void otherModelsTokensSwallowTheSpaceBeforeThem() {
    Map<String, Object> values = TestTokenizers.byteLevel("jina-v2-de", List.of(), "<mask>");
    Tokenizer tokenizer = TestTokenizers.tokenizer(values);
    assertThat(tokenizer.encode("a \t<mask> ", false, true))
        .isEqualTo(ids(tokenizer, "a", "<mask>", "\u0120"));
  }

  @Test
  void aWordThatIsATokenNeedsNoMerge() {
    Map<String, Object> values = TestTokenizers.byteLevel("llama-bpe", List.of("a b"));
    String[] texts = (String[]) values.get("tokenizer.ggml.tokens");
    texts[256] = "abc";
    assertThat(TestTokenizers.tokenizer(values).encode("abc", false, false)).containsExactly(256);
    values.put("tokenizer.ggml.pre", "gpt-2");
    Tokenizer merging = TestTokenizers.tokenizer(values);
    assertThat(merging.encode("abc", false, false)).isEqualTo(ids(merging, "a", "b", "c"));
  }

  @Test
  void theTokensAroundATextAreThoseOfTheFile() {
    Map<String, Object> values = TestTokenizers.byteLevel("gpt-2", List.of(), "<s>", "</s>");
    assertThat(TestTokenizers.tokenizer(values).encode("", true, false)).isEmpty();
    values.put("tokenizer.ggml.bos_token_id", 256L);
    values.put("tokenizer.ggml.eos_token_id", 257L);
    values.put("tokenizer.ggml.add_bos_token", true);
    values.put("tokenizer.ggml.add_eos_token", true);
    assertThat(TestTokenizers.tokenizer(values).encode("", true, false)).containsExactly(256, 257);
    assertThat(TestTokenizers.tokenizer(values).encode("", false, false)).isEmpty();
    values.put("tokenizer.ggml.pre", "llama-bpe");
    values.remove("tokenizer.ggml.add_bos_token");
    assertThat(TestTokenizers.tokenizer(values).encode("", true, false)).containsExactly(256, 257);
  }

  @Test
  void endTokensAreKnownByNameAndByText() {
    Map<String, Object> values =
        TestTokenizers.byteLevel(
            "gpt-2", List.of(), "<s>", "<|im_end|>", "<|eot_id|>", "stop", "<|fim_pad|>");
    values.put("tokenizer.ggml.eos_token_id", 259L);
    Tokenizer tokenizer = TestTokenizers.tokenizer(values);
    assertThat(tokenizer.ends().stream()).containsExactly(257, 258, 259, 260);
    assertThat(tokenizer.eos()).hasValue(259);
    assertThat(tokenizer.eot()).hasValue(258);
    assertThat(tokenizer.isEnd(256)).isFalse();
    assertThat(tokenizer.unk()).isEmpty();
  }

  @Test
  void ifCallsEndAnAnswerThenTheEndOfAPartDoesNot() {
    Tokenizer tokenizer =
        TestTokenizers.tokenizer(
            TestTokenizers.byteLevel(
                "gpt-4o", List.of(), "<|return|>", "<|call|>", "<|end|>", "<|channel|>"));
    assertThat(tokenizer.ends().stream()).contains(256, 257).doesNotContain(258);
    assertThat(tokenizer.isControl(258)).isFalse();
    assertThat(tokenizer.decode(new int[] {259})).isEqualTo("<|channel|>");
  }

  @Test
  void wordPieceTakesTheLongestParts() {
    Tokenizer tokenizer =
        TestTokenizers.tokenizer(
            TestTokenizers.wordPiece(
                "\u2581un", "\u2581unaff", "able", "a", "b", "\u2581,", "\u2581\u4F60", "\u2581e"));
    assertThat(tokenizer.encode("UNaffable, \u4F60x\u00C9", true, false))
        .isEqualTo(
            ids(
                tokenizer,
                "[CLS]",
                "\u2581unaff",
                "able",
                "\u2581,",
                "\u2581\u4F60",
                "[UNK]",
                "[SEP]"));
    assertThat(tokenizer.encode("\u00C9\u0301\u200B\u0000", false, false))
        .isEqualTo(ids(tokenizer, "\u2581e"));
    assertThat(tokenizer.decode(tokenizer.encode("unable e", true, false))).isEqualTo("unable e");
  }

  @Test
  void wordPieceKeepsCaseAndAccentsIfTheFileSaysSo() {
    Map<String, Object> values = TestTokenizers.wordPiece("\u2581e", "\u2581\u00C9");
    values.put("tokenizer.ggml.normalizer.lowercase", false);
    Tokenizer tokenizer = TestTokenizers.tokenizer(values);
    assertThat(tokenizer.encode("\u00C9", false, false)).isEqualTo(ids(tokenizer, "\u2581\u00C9"));
  }

  @Test
  void aByteThatStartsACharacterIsHeldBack() {
    Tokenizer tokenizer = spm("x");
    TokenDecoder decoder = tokenizer.decoder();
    int[] tokens = ids(tokenizer, "<0xF0>", "<0x9F>", "<0x98>", "<0x80>");
    assertThat(decoder.next(tokens[0]) + decoder.next(tokens[1]) + decoder.next(tokens[2]))
        .isEmpty();
    assertThat(decoder.next(tokens[3])).isEqualTo("\uD83D\uDE00");
    assertThat(decoder.next(tokens[0])).isEmpty();
    assertThat(decoder.next(FIRST)).isEqualTo("\uFFFDx");
    assertThat(decoder.next(tokens[0])).isEmpty();
    assertThat(decoder.end()).isEqualTo("\uFFFD");
    assertThat(decoder.end()).isEmpty();
  }

  /** From the WHATWG's encoding standard, and table 3-8 of the Unicode standard. */
  @Test
  void eachPartThatCannotBecomeACharacterIsReplacedOnce() {
    Tokenizer tokenizer = spm("a", "b", "c", "d");
    assertThat(tokenizer.decode(bytes(tokenizer, 0xED, 0xA0, 0x80))).isEqualTo("\uFFFD".repeat(3));
    assertThat(tokenizer.decode(bytes(tokenizer, 0xC0, 0xAF))).isEqualTo("\uFFFD".repeat(2));
    assertThat(tokenizer.decode(bytes(tokenizer, 0xF4, 0x90, 0x80))).isEqualTo("\uFFFD".repeat(3));
    assertThat(tokenizer.decode(bytes(tokenizer, 0xF0, 0x90, 0x80))).isEqualTo("\uFFFD");
    int[] table =
        bytes(
            tokenizer, 0x61, 0xF1, 0x80, 0x80, 0xE1, 0x80, 0xC2, 0x62, 0x80, 0x63, 0x80, 0xBF,
            0x64);
    assertThat(tokenizer.decode(table)).isEqualTo("a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
  }

  private static int[] bytes(Tokenizer tokenizer, int... bytes) {
    return java.util.Arrays.stream(bytes)
        .map(b -> tokenizer.id("<0x%02X>".formatted(b)).orElseThrow())
        .toArray();
  }

  @Test
  void emptyTokensAreTokensWithoutAText() {
    Map<String, Object> values = TestTokenizers.spm("x", "", "");
    assertThat(TestTokenizers.tokenizer(values).text(FIRST + 2)).isEqualTo("[EMPTY_261]");
    assertThat(TestTokenizers.tokenizer(values).encode("", false, true)).isEmpty();
  }

  @Test
  void unsupportedThingsAreNamed() {
    assertThatThrownBy(
            () -> TestTokenizers.tokenizer(TestTokenizers.byteLevel("superbpe", List.of())))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("\"superbpe\" (key tokenizer.ggml.pre) is not supported")
        .hasMessageContaining("llama-bpe, ");
    Map<String, Object> values = TestTokenizers.spm("x");
    values.put("tokenizer.ggml.model", "t5");
    assertThatThrownBy(() -> TestTokenizers.tokenizer(values))
        .hasMessageContaining("\"t5\" (key tokenizer.ggml.model) is not supported");
  }

  @Test
  void missingPartsAreNamed() {
    assertThatThrownBy(() -> Tokenizer.of(new GgufMetadata(Map.of())))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("tokenizer.ggml.model is missing");
    assertThatThrownBy(
            () -> Tokenizer.of(new GgufMetadata(Map.of("tokenizer.ggml.model", "llama"))))
        .hasMessageContaining("tokenizer.ggml.tokens is missing");
    Map<String, Object> values = TestTokenizers.spm("x");
    values.put("tokenizer.ggml.scores", new double[3]);
    assertThatThrownBy(() -> TestTokenizers.tokenizer(values))
        .hasMessage("the key tokenizer.ggml.scores has 3 values for 260 tokens");
    Map<String, Object> bare = TestTokenizers.byteLevel("gpt-2", List.of());
    bare.remove("tokenizer.ggml.merges");
    assertThatThrownBy(() -> TestTokenizers.tokenizer(bare))
        .hasMessageContaining("merges is missing");
    Map<String, Object> headless = TestTokenizers.wordPiece("x");
    headless.put("tokenizer.ggml.bos_token_id", 99_999L);
    assertThatThrownBy(() -> TestTokenizers.tokenizer(headless))
        .hasMessageContaining("tokenizer.ggml.bos_token_id");
  }
}
