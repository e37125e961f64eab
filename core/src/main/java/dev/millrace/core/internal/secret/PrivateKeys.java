package dev.millrace.core.internal.secret;

import java.util.regex.Pattern;

/** Private keys in PEM, whole in a text or line by line. */
public final class PrivateKeys {
  private static final String BEGIN = "-----BEGIN ";
  private static final String LABEL = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";

  /** Up to the end of the text if the key has none: it may be cut. */
  private static final Pattern BLOCK =
      Pattern.compile(BEGIN + LABEL + "[\\s\\S]*?(?:-----END " + LABEL + "|\\z)");

  private static final Pattern FIRST_LINE = Pattern.compile(BEGIN + LABEL);

  /** More than any key has. After them a line is shown again, whatever came before. */
  private static final int MAX_LINES = 500;

  private int left; // lines of a key that may still come; 0: outside of a key

  static String redact(String text) {
    return text.contains(BEGIN) ? BLOCK.matcher(text).replaceAll(SecretRedactor.REDACTED) : text;
  }

  /** The next line of an output: one inside a private key is redacted. Not thread-safe. */
  public String redactLine(String line) {
    if (left > 0) {
      left = line.contains("-----END ") ? 0 : left - 1;
      return SecretRedactor.REDACTED;
    }
    if (line.contains(BEGIN) && FIRST_LINE.matcher(line).find() && !line.contains("-----END ")) {
      left = MAX_LINES;
    }
    return line;
  }
}
