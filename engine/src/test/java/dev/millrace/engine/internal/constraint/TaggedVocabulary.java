package dev.millrace.engine.internal.constraint;

import dev.millrace.engine.token.Vocabulary;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A small vocabulary: the end, control tokens with their texts, and texts. It spells out masks as
 * the texts of their tokens.
 */
record TaggedVocabulary(List<String> control, List<String> texts) implements Vocabulary {
  static final int END = 0;

  int id(String text) {
    int at = control.indexOf(text);
    return at >= 0 ? 1 + at : 1 + control.size() + texts.indexOf(text);
  }

  int[] ids(String... parts) {
    return java.util.Arrays.stream(parts).mapToInt(this::id).toArray();
  }

  List<String> allowed(long[] mask) {
    List<String> allowed = new ArrayList<>();
    for (int token = 0; token < size(); token++) {
      if ((mask[token >> 6] >>> token & 1) == 1) {
        allowed.add(token == END ? "END" : text(token));
      }
    }
    return allowed;
  }

  private String text(int token) {
    return token <= control.size() ? control.get(token - 1) : texts.get(token - 1 - control.size());
  }

  @Override
  public int size() {
    return 1 + control.size() + texts.size();
  }

  @Override
  public byte[] bytes(int token) {
    return isControl(token) ? new byte[0] : shownBytes(token);
  }

  @Override
  public byte[] shownBytes(int token) {
    return token == END ? new byte[0] : text(token).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public boolean isControl(int token) {
    return token <= control.size();
  }

  @Override
  public boolean isEnd(int token) {
    return token == END;
  }
}
