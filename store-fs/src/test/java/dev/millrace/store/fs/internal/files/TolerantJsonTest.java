package dev.millrace.store.fs.internal.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TolerantJsonTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"a\":\"\\ud800 then\",\"tags\":[\"t\"]}|{\"tags\":[\"t\"]}",
        "{\"x\":1,\"x\":2,\"mode\":\"text\"}|{\"x\":2,\"mode\":\"text\"}",
        "{\"x\":1e99999999999,\"mode\":\"text\"}|{\"mode\":\"text\"}",
        "{\"a\":\"}{],:\\\"\\\\\",\"b\":{\"c\":[\"]\",\"}\"]}}|{\"a\":\"}{],:\\\"\\\\\",\"b\":{\"c\":[\"]\",\"}\"]}}",
        "{\"a\":1,}|{\"a\":1}",
        "{\"a\":1} and more|{\"a\":1}",
        "{\"a\":NaN,\"b\":true}|{\"b\":true}",
        "{\"a\":1,\"b\"|{\"a\":1}",
        "{\"a\":1,\"b\":\"open|{\"a\":1}",
        "[1]|{}",
        "{|{}"
      })
  void fieldsThatCanBeReadCount(String text, String fields) {
    assertThat(TolerantJson.object(text)).hasToString(fields);
  }

  @ParameterizedTest
  @CsvSource({"201", "100000"})
  void deepFieldsAreLeftOut(int depth) {
    String deep = "[".repeat(depth) + "]".repeat(depth);
    assertThat(TolerantJson.object("\uFEFF{\"x\":" + deep + ",\"tags\":[]}"))
        .hasToString("{\"tags\":[]}");
  }

  @RepeatedTest(20)
  void anyTextIsRead() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder text = new StringBuilder("{");
    for (int i = 0; i < 1_000; i++) {
      text.append("{}[]\",:\\ a1".charAt(random.nextInt(11)));
    }
    assertThat(TolerantJson.object(text.toString())).as("seed %d", seed).isNotNull();
  }
}
