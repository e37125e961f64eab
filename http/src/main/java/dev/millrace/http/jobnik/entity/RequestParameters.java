package dev.millrace.http.jobnik.entity;

import dev.millrace.http.route.ApiRequest;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/** Reads query parameters. */
public final class RequestParameters {
  private RequestParameters() {}

  public static boolean flag(ApiRequest call, String name) {
    return call.query(name).map(Boolean::parseBoolean).orElse(false);
  }

  /** The number, or {@code otherwise} if missing; refused if it is out of range. */
  public static @Nullable Integer number(
      ApiRequest call, String name, @Nullable Integer otherwise, int least, int most) {
    String text = call.query(name).orElse(null);
    return text == null ? otherwise : (Integer) number(name, text, least, most);
  }

  /** As the other method, with a number if it is missing. */
  public static int numberOr(ApiRequest call, String name, int otherwise, int least, int most) {
    String text = call.query(name).orElse(null);
    return text == null ? otherwise : number(name, text, least, most);
  }

  private static int number(String name, String text, int least, int most) {
    if (text.matches("\\d{1,9}")) {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw JobnikProblems.invalid(
        "request/query/" + name + " must be a whole number from " + least + " to " + most);
  }

  /** The time, or null if missing. */
  public static @Nullable Instant time(ApiRequest call, String name) {
    String text = call.query(name).orElse(null);
    try {
      return text == null ? null : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeParseException e) {
      throw JobnikProblems.invalid(
          "request/query/"
              + name
              + " must be a time such as 2026-01-31T09:00:00Z, got \""
              + text
              + "\"");
    }
  }
}
