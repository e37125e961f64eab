package dev.millrace.server.infer.parameters;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is reported of an output beside its text.
 *
 * @param logprobs how many alternatives of each token; null: no log probabilities at all
 * @param pieces whether the receipt has the text of each token
 */
public record OutputReport(@Nullable Integer logprobs, boolean pieces) {
  static final Set<String> NAMES = Set.of("logprobs", "record_pieces");
  private static final int MAX_ALTERNATIVES = 20;

  static OutputReport of(ParameterReader fields) {
    Long logprobs = fields.whole("logprobs", 0, MAX_ALTERNATIVES, "a whole number from 0 to 20");
    return new OutputReport(
        logprobs == null ? null : logprobs.intValue(),
        Boolean.TRUE.equals(fields.flag("record_pieces")));
  }
}
