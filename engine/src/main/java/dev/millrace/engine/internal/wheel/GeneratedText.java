package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.internal.sample.AnswerStops;
import org.jspecify.annotations.Nullable;

/**
 * The growing text of a sequence: decoded, cut at a stop string, and shown only as far as it is
 * certain.
 */
final class GeneratedText {
  private final Detokenizer detokenizer;
  private final AnswerStops stops;
  private final StringBuilder whole = new StringBuilder();

  GeneratedText(Detokenizer detokenizer, AnswerStops stops) {
    this.detokenizer = detokenizer;
    this.stops = stops;
  }

  /** Takes a token; returns the text that may be shown now. */
  String push(int token) {
    String spelled = detokenizer.push(token);
    return spelled.isEmpty() ? "" : keep(stops.push(spelled));
  }

  /** The rest of the text, at the end. */
  String flush() {
    if (stops.isStopped()) {
      return "";
    }
    String last = stops.push(detokenizer.flush());
    return keep(stops.isStopped() ? last : last + stops.flush());
  }

  boolean isStopped() {
    return stops.isStopped();
  }

  @Nullable String stop() {
    return stops.match();
  }

  String whole() {
    return whole.toString();
  }

  private String keep(String piece) {
    whole.append(piece);
    return piece;
  }
}
