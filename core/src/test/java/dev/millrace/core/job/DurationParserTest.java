package dev.millrace.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationParserTest {

  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "0s, PT0S",
    "30s, PT30S",
    "10m, PT10M",
    "2h, PT2H",
    "7d, PT168H",
    "PT1H30M, PT1H30M",
    "P1D, PT24H",
    "pt5s, PT5S",
    "999999999999ms, PT277777H46M39.999S"
  })
  void shortAndIsoDurationsAreParsed(String text, String iso) {
    assertThat(DurationParser.parse(text)).isEqualTo(Duration.parse(iso));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "5",
        "s",
        "5 s",
        "5S",
        "1.5h",
        "-5s",
        "5w",
        "1h30m",
        "٥s",
        "5s\n",
        "soon",
        "1234567890123s",
        "PT99999999999999999999H",
        "P1Y"
      })
  void anythingElseIsRefusedWithExamples(String text) {
    assertThatThrownBy(() -> DurationParser.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + text + "\" is not a duration")
        .hasMessageContaining("500ms, 30s, 10m, 2h, 7d or PT1H30M");
  }

  @Test
  void writtenDurationsCanBeParsed() {
    for (long millis : new long[] {0, 1, 999, 1_000, 61_001, 86_400_000L * 3_650}) {
      Duration duration = Duration.ofMillis(millis);
      assertThat(DurationParser.parse(duration.toString())).isEqualTo(duration);
    }
  }
}
