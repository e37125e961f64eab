package dev.millrace.engine.token;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CharKindTest {

  /**
   * All kinds of all characters, as llama.cpp 0.5.0 has them (Unicode 15.1). A JDK with a newer
   * Unicode fails here: then what is new must be listed as too new, for ids must not change.
   */
  @Test
  void kindsDoNotChangeWithTheJdk() {
    long sum = 0;
    long lower = 0;
    for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
      sum = sum * 31 + CharKind.of(point);
      lower = lower * 31 + CharKind.lower(point);
    }
    assertThat(sum).isEqualTo(-8933611924912228404L);
    assertThat(lower).isEqualTo(6667803932044710544L);
  }

  @Test
  void kindsAreWhatTheyAreCalled() {
    assertThat(CharKind.of('x')).isEqualTo(CharKind.LETTER);
    assertThat(CharKind.of(0x17B6)).isEqualTo(CharKind.MARK);
    assertThat(CharKind.of(0xBD)).isEqualTo(CharKind.NUMBER);
    assertThat(CharKind.of('_')).isEqualTo(CharKind.PUNCTUATION);
    assertThat(CharKind.of('~')).isEqualTo(CharKind.SYMBOL);
    assertThat(CharKind.of(0x85)).isEqualTo(CharKind.SPACE);
    assertThat(CharKind.of(0x1C)).isEqualTo(CharKind.OTHER);
    assertThat(CharKind.of(0x0378)).isEqualTo(CharKind.UNASSIGNED);
    assertThat(CharKind.of(0x1C89)).as("of Unicode 16").isEqualTo(CharKind.UNASSIGNED);
    assertThat(CharKind.of(0x7FFF_FFFF)).isEqualTo(CharKind.UNASSIGNED);
  }
}
