package dev.millrace.core.internal.secret;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Credentials as HTTP sends them: {@code Bearer TOKEN} and {@code Basic BASE64}. */
final class Credentials {
  private static final Pattern CREDENTIALS =
      Pattern.compile(
          "(?i)(?<![A-Za-z0-9])(?:(bearer)|basic)(?:\\s|%20|\\+){1,4}([A-Za-z0-9._~+/=-]++)");

  /** What follows the word in prose. */
  private static final Set<String> PROSE =
      Set.of(
          "token",
          "tokens",
          "key",
          "keys",
          "auth",
          "authentication",
          "authorization",
          "scheme",
          "credential",
          "credentials",
          "header",
          "headers",
          "realm",
          "of",
          "or",
          "and",
          "is",
          "are",
          "was",
          "must",
          "for",
          "in",
          "with",
          "error",
          "format",
          "prefix",
          "type");

  private Credentials() {}

  static String redact(String text) {
    String result = CREDENTIALS.matcher(text).replaceAll(Credentials::replacement);
    return result.equals(text) ? text : result;
  }

  private static String replacement(MatchResult found) {
    String token = found.group(2);
    boolean secret = found.group(1) == null ? hasPassword(token) : !isProse(token);
    return Matcher.quoteReplacement(secret ? SecretRedactor.REDACTED : found.group());
  }

  private static boolean isProse(String token) {
    String word = token.replaceFirst("[.=/-]+$", "");
    return Placeholders.matches(word) || PROSE.contains(word.toLowerCase(Locale.ROOT));
  }

  /** Whether it is the base64 of {@code USER:PASSWORD}. */
  private static boolean hasPassword(String token) {
    try {
      byte[] decoded = Base64.getDecoder().decode(token);
      return new String(decoded, StandardCharsets.ISO_8859_1).indexOf(':') >= 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
