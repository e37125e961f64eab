package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.token.TokenDecoder;
import dev.millrace.engine.token.Tokenizer;
import java.util.Set;

/** Decodes the tokens of one sequence into text, piece by piece. */
public interface Detokenizer {
  /** Decodes with a tokenizer; these control tokens appear in the text, too. */
  static Detokenizer of(Tokenizer tokenizer, Set<Integer> shownTokens) {
    TokenDecoder decoder = tokenizer.decoder().showing(shownTokens);
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
