package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.token.TokenDecoder;

/** Decodes the tokens of one sequence into text, piece by piece. */
public interface Detokenizer {
  /** Decodes with a tokenizer's decoder. */
  static Detokenizer of(TokenDecoder decoder) {
    return new Detokenizer() {
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

  /** The whole characters that are complete with this token; "" if there are none. */
  String push(int token);

  /** The rest of an incomplete character, at the end. */
  String flush();
}
