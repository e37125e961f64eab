package dev.millrace.server.infer.parameters;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes SHA-256 hashes. */
public final class Sha256 {
  private Sha256() {}

  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  public static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  static String of(String text) {
    MessageDigest digest = sha256();
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    return hex(digest);
  }

  /** The hash of ids as big-endian 32-bit integers. */
  public static String of(int[] ids) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * ids.length);
    bytes.asIntBuffer().put(ids);
    MessageDigest digest = sha256();
    digest.update(bytes);
    return hex(digest);
  }

  /** A number of 53 bits derived from a text: the largest that every JSON reader keeps exactly. */
  public static long number53(String text) {
    MessageDigest digest = sha256();
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    return ByteBuffer.wrap(digest.digest()).getLong() >>> 11;
  }
}
