package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.TestData;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.grammar.automaton.VocabularyTrie;
import dev.millrace.engine.token.Tokenizer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of a schema, cut into tokens as models do it, pass token by token. */
final class RealVocabularyTest {
  private static final String TEXT =
      """
      {"name": "Zoë \\"Z\\" O'Neil 愛😀", "age": 42, "email": "zoe@example.org", "tags": ["a", "b c"], "kind": "business",\
       "address": {"street": "1, \\u00dcber\\nWay", "zip": "01234"}, "score": 0.875}\
      """;

  @ParameterizedTest
  @ValueSource(strings = {"llama-bpe", "gpt-2"})
  void aTextOfTheSchemaPassesTokenByToken(String name) {
    try (Gguf gguf = Gguf.open(TestData.find("vocab/ggml-vocab-" + name + ".gguf"))) {
      Tokenizer tokenizer = Tokenizer.of(gguf.metadata());
      Constraint.State state =
          Constraint.compile(
                  JsonSchema.compile(TokenMaskBenchmark.person()), new VocabularyTrie(tokenizer))
              .start();
      for (int token : tokenizer.encode(TEXT, false, false)) {
        assertThat(state.mayEnd()).isFalse();
        assertThat(state.allowed()[token >> 6] >> token & 1)
            .as("%d: %s", token, tokenizer.text(token))
            .isEqualTo(1);
        assertThat(state.accept(token)).isTrue();
      }
      assertThat(state.mustEnd()).isTrue();
      assertThat(ConstraintReferenceTest.bits(state.allowed()))
          .isNotEmpty()
          .allMatch(tokenizer::isEnd);
    }
  }
}
