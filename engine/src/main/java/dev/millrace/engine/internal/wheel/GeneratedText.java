package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.internal.sample.StopStrings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sequence's text as it grows: spelled out, cut at a stop string, and shown only as far as it is
 * certain.
 */
final class GeneratedText {
  private final TextAssembler speller;
  private final StopStrings stops;
  private final StringBuilder whole = new StringBuilder();

  GeneratedText(TextAssembler speller, List<String> stops) {
    this.speller = speller;
    this.stops = new StopStrings(stops);
  }

  /** Takes a token; gives what may be shown now. */
  String push(int token) {
    String spelled = speller.push(token);
    return spelled.isEmpty() ? "" : keep(stops.push(spelled));
  }

  /** What is left to show when no more will come. */
  String flush() {
    if (stops.isStopped()) {
      return "";
    }
    String last = stops.push(speller.flush());
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
