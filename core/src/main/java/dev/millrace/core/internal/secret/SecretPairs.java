package dev.millrace.core.internal.secret;

import java.util.Locale;
import java.util.Set;

/**
 * Values behind a name that says they are secret: {@code password=…}, {@code "token": "…"}, {@code
 * Authorization: …}. One pass over the text: each {@code =} and {@code :} looks back at a bounded
 * name and ahead at the bounded beginning of a value, and what is redacted is skipped.
 */
final class SecretPairs {
  private static final int MAX_NAME = 64;

  /** The beginning of a value tells whether it is secret: to look at more takes quadratic time. */
  private static final int MAX_LOOKED_AT = 256;

  private static final Set<String> SCHEMES =
      Set.of(
          "bearer", "basic", "digest", "token", "apikey", "key", "negotiate", "aws4-hmac-sha256");

  private final String text;
  private final StringBuilder out = new StringBuilder();
  private int copied;

  SecretPairs(String text) {
    this.text = text;
  }

  String redact() {
    for (int i = 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c == '=' || c == ':') && i >= copied && !isDoubled(i)) {
        redactAfter(i);
      }
    }
    return copied == 0 ? text : out.append(text, copied, text.length()).toString();
  }

  /** Whether it is part of a comparison or of a qualified name. */
  private boolean isDoubled(int i) {
    return text.charAt(i - 1) == text.charAt(i)
        || i + 1 < text.length() && text.charAt(i + 1) == text.charAt(i);
  }

  private void redactAfter(int separator) {
    int end = separator;
    while (end > 0 && separator - end < 2 && text.charAt(end - 1) == ' ') {
      end--;
    }
    boolean quoted = end > 0 && isQuote(text.charAt(end - 1));
    if (quoted) {
      end -= end > 1 && text.charAt(end - 2) == '\\' ? 2 : 1;
    }
    int begin = end;
    while (begin > 0 && end - begin < MAX_NAME && isOfName(text.charAt(begin - 1))) {
      begin--;
    }
    boolean inQuery = begin > 0 && "?&".indexOf(text.charAt(begin - 1)) >= 0;
    SecretName name =
        begin == end ? SecretName.NOT_SECRET : SecretName.of(text.substring(begin, end), inQuery);
    if (name != SecretName.NOT_SECRET) {
      redactValue(name, quoted, separator);
    }
  }

  private void redactValue(SecretName name, boolean nameQuoted, int separator) {
    boolean assigned = text.charAt(separator) == '=';
    int begin = separator + 1;
    if (assigned && begin < text.length() && text.charAt(begin) == '>') {
      begin++; // as Ruby writes a map
    }
    while (begin < text.length() && text.charAt(begin) == ' ') {
      begin++;
    }
    int quote = begin < text.length() && text.charAt(begin) == '\\' ? begin + 1 : begin;
    boolean quoted = quote < text.length() && isQuote(text.charAt(quote));
    if (quoted) {
      begin = quote + 1;
    } else if (assigned && begin > separator + 1 && text.charAt(separator - 1) != ' ') {
      return; // "name= text" is no assignment
    }
    int most = Math.min(text.length(), begin + MAX_LOOKED_AT);
    int seen = quoted ? endOfQuoted(quote, most) : endOfPlain(begin, name, most);
    if (isSecret(name, text.substring(begin, seen), assigned || nameQuoted)) {
      out.append(text, copied, begin).append(SecretRedactor.REDACTED);
      int all = text.length();
      copied = quoted ? endOfQuoted(quote, all) : endOfPlain(begin, name, all);
    }
  }

  /**
   * @param certain whether it is surely a pair, not a colon in a sentence
   */
  private static boolean isSecret(SecretName name, String value, boolean certain) {
    int space = value.lastIndexOf(' ');
    String last = value.substring(space + 1);
    boolean number = !value.isEmpty() && value.chars().allMatch(Character::isDigit);
    return switch (name) {
      case NOT_SECRET -> false;
      case MAYBE -> !Placeholders.matches(value) && !number && (certain || isRandom(value));
      case AUTHORIZATION ->
          !Placeholders.matches(last) && (certain || space >= 0 || isRandom(value));
      case SECRET ->
          !Placeholders.matches(value) && !value.startsWith("/") && (certain || !isWord(value));
    };
  }

  /** Whether no word of a language looks like this. */
  private static boolean isRandom(String value) {
    return value.length() >= 6 && value.indexOf(' ') < 0 && !isWord(value);
  }

  /** Letters only, with a capital at most at the beginning; or nothing but punctuation. */
  private static boolean isWord(String value) {
    String word = value.replaceFirst("[.:!?…]+$", "");
    return word.chars().noneMatch(Character::isLetterOrDigit)
        || word.chars().allMatch(c -> Character.isLetter(c) || c == '-' || c == ' ')
            && word.chars().skip(1).noneMatch(Character::isUpperCase);
  }

  /**
   * @param most where to stop at the latest
   */
  private int endOfQuoted(int quote, int most) {
    boolean escaped = text.charAt(quote - 1) == '\\';
    for (int i = quote + 1; i < most; i++) {
      char c = text.charAt(i);
      if (c == '\n' || c == text.charAt(quote)) {
        return escaped && c != '\n' && text.charAt(i - 1) == '\\' ? i - 1 : i;
      }
      if (c == '\\' && !escaped) {
        i++;
      }
    }
    return most;
  }

  private int endOfPlain(int begin, SecretName name, int most) {
    int end = endOfRun(begin, most);
    boolean scheme =
        name == SecretName.AUTHORIZATION
            && SCHEMES.contains(text.substring(begin, end).toLowerCase(Locale.ROOT));
    return scheme && end + 1 < most ? endOfRun(end + 1, most) : end;
  }

  private int endOfRun(int begin, int most) {
    int end = begin;
    while (end < most
        && ",;&\"'`)]}>|\\".indexOf(text.charAt(end)) < 0
        && !Character.isWhitespace(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isOfName(char c) {
    return c < 128 && (Character.isLetterOrDigit(c) || c == '_' || c == '-' || c == '.');
  }

  private static boolean isQuote(char c) {
    return c == '"' || c == '\'';
  }
}
