package dev.millrace.engine.token;

/** The tokens of a model, by id. */
public interface Vocabulary {
  int size();

  /** The bytes that the token adds to a text; none for a control token. */
  byte[] bytes(int token);

  /** A token that steers the model and is no text: BOS, end of turn, … */
  boolean isControl(int token);

  /** A token that ends a generation. */
  boolean isEnd(int token);
}
