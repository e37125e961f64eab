package dev.millrace.engine.wheel;

import dev.millrace.engine.token.Decoder;

/** Spells the tokens of one sequence out as text, piece by piece. */
public interface Speller {
  /** As a tokenizer spells. */
  static Speller of(Decoder decoder) {
    return new Speller() {
      @Override
      public String push(int token) {
        return decoder.next(token);
      }

      @Override
      public String flush() {
        return decoder.end();
      }
    };
  }

  /** The whole characters that are complete with this token; "" where there are none. */
  String push(int token);

  /** What is left of an incomplete character, when no more will come. */
  String flush();
}
