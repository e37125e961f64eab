package dev.millrace.engine.token;

/** The tokens of a model, by id. */
public interface Vocabulary {
  int size();

  /** The bytes that the token adds to a text; none for a control token. */
  byte[] bytes(int token);

  /** The bytes of any token; those of a control token are its text, if it has one. */
  default byte[] shownBytes(int token) {
    return bytes(token);
  }

  /** Whether the token steers the model and is not text: BOS, end of turn, … */
  boolean isControl(int token);

  /** Whether the token ends a generation. */
  boolean isEnd(int token);
}
