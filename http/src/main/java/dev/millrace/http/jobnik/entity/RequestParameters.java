package dev.millrace.http.jobnik;

import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.route.ApiRequest;
import org.jspecify.annotations.Nullable;

/** Reads query parameters. */
final class RequestParameters {
  private RequestParameters() {}

  static boolean flag(ApiRequest call, String name) {
    return call.query(name).map(Boolean::parseBoolean).orElse(false);
  }

  /** The number, or {@code otherwise} if missing; refused if it is out of range. */
  static @Nullable Integer number(
      ApiRequest call, String name, @Nullable Integer otherwise, int least, int most) {
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
    throw JobnikProblems.invalid(
        "request/query/" + name + " must be a whole number from " + least + " to " + most);
  }
}
