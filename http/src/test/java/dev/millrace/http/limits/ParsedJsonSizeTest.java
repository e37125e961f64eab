package dev.millrace.http.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The estimated memory of parsed JSON. */
final class ParsedJsonSizeTest {

  private static long of(String json) {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    return ParsedJsonSize.of(bytes, bytes.length);
  }

  @Test
  void quotedTextAddsNoCost() {
    assertThat(of("\"[{,:\\\"[[[\\\\\"")).isEqualTo(of("1"));
    assertThat(of("[\"a\",1]")).isGreaterThan(of("[\"a,1\"]"));
  }

  @Test
  void manySmallValuesCostMoreThanTheirText() {
    String lists = "[" + "[],".repeat(10_000) + "[]]";
    assertThat(of(lists)).isGreaterThan(28L * 10_001); // a list and the reference to it
    String objects = "[" + "{\"a\":1},".repeat(10_000) + "{}]";
    assertThat(of(objects)).isGreaterThan(200L * 10_000);
  }
}
