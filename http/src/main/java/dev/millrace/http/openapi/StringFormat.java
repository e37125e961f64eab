package dev.millrace.http.openapi;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The values of the keyword {@code format}, and how messages describe them. */
enum StringFormat {
  UUID(
      "a UUID such as 019a2b3c-4d5e-8f60-8a00-0123456789ab",
      Pattern.compile("[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}").asMatchPredicate()),
  DATE_TIME("a time such as 2026-01-31T09:00:00Z", StringFormat::isTime),
  URI("an address such as https://host/path", StringFormat::isAddress);

  private static final Pattern TIME =
      Pattern.compile(
          "\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,9})?(?:[Zz]|[+-]\\d{2}:\\d{2})");

  private final String description;
  private final Predicate<String> test;

  StringFormat(String description, Predicate<String> test) {
    this.description = description;
    this.test = test;
  }

  /**
   * @throws IllegalArgumentException if the format is unknown
   */
  static StringFormat of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  String description() {
    return description;
  }

  boolean matches(String text) {
    return test.test(text);
  }

  private static boolean isTime(String text) {
    if (!TIME.matcher(text).matches()) {
      return false;
    }
    try {
      OffsetDateTime.parse(text.toUpperCase(Locale.ROOT));
      return true;
    } catch (DateTimeException e) {
      return false;
    }
  }

  private static boolean isAddress(String text) {
    try {
      return new URI(text).isAbsolute() && text.chars().allMatch(c -> c > 32 && c < 127);
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
