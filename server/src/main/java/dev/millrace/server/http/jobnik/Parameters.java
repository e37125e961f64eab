package dev.millrace.server.http.jobnik;

import dev.millrace.core.rules.Cause;
import dev.millrace.server.http.Call;
import org.jspecify.annotations.Nullable;

/** Reads what a request says beside its body. */
final class Parameters {
  private Parameters() {}

  static boolean flag(Call call, String name) {
    return call.query(name).map(Boolean::parseBoolean).orElse(false);
  }

  /** The number, or {@code otherwise}; refused unless it is in the range. */
  static @Nullable Integer number(
      Call call, String name, @Nullable Integer otherwise, int least, int most) {
    String text = call.query(name).orElse(null);
    if (text == null) {
      return otherwise;
    }
    if (text.matches("\\d{1,9}")) {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw Refusals.invalid(
        "request/query/" + name + " must be a whole number from " + least + " to " + most);
  }

  /** Who wants it, for the log. */
  static Cause cause(Call call) {
    return Cause.user(call.principal().name(), null);
  }
}
