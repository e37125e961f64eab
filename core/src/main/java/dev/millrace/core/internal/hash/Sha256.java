package dev.millrace.core.internal.hash;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of texts (in UTF-8) and of token ids. */
public final class Sha256 {
  private Sha256() {}

  /** A new digest, for what comes in pieces. */
  public static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  public static byte[] of(String text) {
    return digest().digest(text.getBytes(StandardCharsets.UTF_8));
  }

  public static String hexOf(String text) {
    return hex(of(text));
  }

  /** The hash of ids written as big-endian integers of 32 bits. */
  public static String hexOf(int[] ids) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * ids.length);
    bytes.asIntBuffer().put(ids);
    return hex(digest().digest(bytes.array()));
  }

  /** Lower-case hexadecimal digits. */
  public static String hex(byte[] hash) {
    return HexFormat.of().formatHex(hash);
  }

  /** The first 53 bits of the hash: every JSON reader takes a number of that size exactly. */
  public static long number53(String text) {
    return ByteBuffer.wrap(of(text)).getLong() >>> 11;
  }
}
