package dev.millrace.engine.internal.token.pretokenize;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CharacterKindTest {

  /**
   * The kinds of all characters, as in llama.cpp 0.5.0 (Unicode 15.1). A JDK with a newer Unicode
   * fails here: then list the new characters as too new, because ids must not change.
   */
  @Test
  void kindsDoNotChangeWithTheJdk() {
    long sum = 0;
    long lower = 0;
    for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
      sum = sum * 31 + CharacterKind.of(point);
      lower = lower * 31 + CharacterKind.lower(point);
    }
    assertThat(sum).isEqualTo(-8933611924912228404L);
    assertThat(lower).isEqualTo(6667803932044710544L);
  }

  @Test
  void kindsMatchTheirNames() {
    assertThat(CharacterKind.of('x')).isEqualTo(CharacterKind.LETTER);
    assertThat(CharacterKind.of(0x17B6)).isEqualTo(CharacterKind.MARK);
    assertThat(CharacterKind.of(0xBD)).isEqualTo(CharacterKind.NUMBER);
    assertThat(CharacterKind.of('_')).isEqualTo(CharacterKind.PUNCTUATION);
    assertThat(CharacterKind.of('~')).isEqualTo(CharacterKind.SYMBOL);
    assertThat(CharacterKind.of(0x85)).isEqualTo(CharacterKind.SPACE);
    assertThat(CharacterKind.of(0x1C)).isEqualTo(CharacterKind.OTHER);
    assertThat(CharacterKind.of(0x0378)).isEqualTo(CharacterKind.UNASSIGNED);
    assertThat(CharacterKind.of(0x1C89)).as("of Unicode 16").isEqualTo(CharacterKind.UNASSIGNED);
    assertThat(CharacterKind.of(0x7FFF_FFFF)).isEqualTo(CharacterKind.UNASSIGNED);
  }
}
