package dev.millrace.store.fs.internal.files;

import dev.millrace.core.internal.hash.Sha256;
import java.nio.charset.StandardCharsets;

/**
 * The name of a stage's directory: its number and its type. A type is free text, so bytes of its
 * UTF-8 form other than letters, digits, {@code .}, {@code _} and {@code -} are written as {@code
 * %XX}, and a name that gets too long is cut and ends in a hash. The number makes names unique;
 * {@code job.json} and the log have the type itself.
 */
final class StageDirectory {
  /** The most bytes of a name, well below the 255 that file systems allow. */
  static final int MAX_NAME = 200;

  private static final int HASH_DIGITS = 16;

  private StageDirectory() {}

  static String name(int number, String type) {
    String name = number + "-" + encode(type);
    if (name.length() <= MAX_NAME) {
      return name;
    }
    String hash = "~" + Sha256.hexOf(type).substring(0, HASH_DIGITS);
    return name.substring(0, MAX_NAME - hash.length()) + hash;
  }

  private static String encode(String type) {
    StringBuilder out = new StringBuilder();
    for (byte b : type.getBytes(StandardCharsets.UTF_8)) {
      if (isPlain(b)) {
        out.append((char) b);
      } else {
        out.append(String.format("%%%02X", b));
      }
    }
    return out.toString();
  }

  private static boolean isPlain(byte b) {
    return b >= 'a' && b <= 'z'
        || b >= 'A' && b <= 'Z'
        || b >= '0' && b <= '9'
        || b == '.'
        || b == '_'
        || b == '-';
  }
}
