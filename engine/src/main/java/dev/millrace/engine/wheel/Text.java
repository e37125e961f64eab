package dev.millrace.engine.wheel;

import dev.millrace.engine.sample.StopStrings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sequence's text as it grows: spelled out, cut at a stop string, and shown only as far as it is
 * certain.
 */
final class Text {
  private final Speller speller;
  private final StopStrings stops;
  private final StringBuilder whole = new StringBuilder();

  Text(Speller speller, List<String> stops) {
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
    if (stops.stopped()) {
      return "";
    }
    String last = stops.push(speller.flush());
    return keep(stops.stopped() ? last : last + stops.flush());
  }

  boolean isStopped() {
    return stops.stopped();
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
