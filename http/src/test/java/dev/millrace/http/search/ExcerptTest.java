package dev.millrace.http.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The start of a prompt, whatever form the input has. */
class ExcerptTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"a  b\\n c \"                                    | a b c",
        "{\"prompt\":\"why?\",\"n\":1}                   | why?",
        "{\"input\":\"text\"}                              | text",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"one\"},"
            + "{\"role\":\"assistant\",\"content\":\"two\"}]} | one",
        "{\"messages\":[]}                                   | []",
        "{\"width\":640}                                     | {\"width\":640}",
        "7                                                     | 7",
        "\" \"                                               | ",
      })
  void isTheStartOfThePrompt(String input, String excerpt) {
    assertThat(IndexedJobReader.excerpt(Json.parse(input))).isEqualTo(excerpt);
  }

  @Test
  void neverEndsInHalfACharacter() {
    String text = "a".repeat(IndexedJobReader.MAX_EXCERPT - 1) + "😀 and more";
    assertThat(IndexedJobReader.excerpt(text)).isEqualTo("a".repeat(119));
  }
}
