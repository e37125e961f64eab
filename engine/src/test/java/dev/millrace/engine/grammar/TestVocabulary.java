package dev.millrace.engine.grammar;

import dev.millrace.engine.token.Vocabulary;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A vocabulary of given tokens; token 0 is a control token and token 1 the end. */
public record TestVocabulary(List<byte[]> texts) implements Vocabulary {
  static final int END = 1;

  static TestVocabulary of(String... texts) {
    List<byte[]> bytes = new ArrayList<>();
    for (String text : texts) {
      bytes.add(text.getBytes(StandardCharsets.UTF_8));
    }
    return new TestVocabulary(bytes);
  }

  /** All single bytes, and more. */
  public static TestVocabulary bytesAnd(String... texts) {
    List<byte[]> all = new ArrayList<>();
    for (int b = 0; b < 256; b++) {
      all.add(new byte[] {(byte) b});
    }
    all.addAll(of(texts).texts);
    return new TestVocabulary(all);
  }

  int token(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < texts.size(); i++) {
      if (java.util.Arrays.equals(texts.get(i), bytes)) {
        return i + 2;
      }
    }
    throw new AssertionError("no token " + text);
  }

  @Override
  public int size() {
    return texts.size() + 2;
  }

  @Override
  public byte[] bytes(int token) {
    return token < 2 ? new byte[0] : texts.get(token - 2);
  }

  @Override
  public boolean isControl(int token) {
    return token < 2;
  }

  @Override
  public boolean isEnd(int token) {
    return token == END;
  }
}
