package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.token.TokenDecoder;

/** Spells the tokens of one sequence out as text, piece by piece. */
public interface TextAssembler {
  /** As a tokenizer spells. */
  static TextAssembler of(TokenDecoder decoder) {
    return new TextAssembler() {
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
