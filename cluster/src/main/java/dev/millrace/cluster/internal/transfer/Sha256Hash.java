package dev.millrace.cluster.internal.transfer;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Helpers for the SHA-256 hashes of models and chunks. */
final class Sha256Hash {
  /** Bytes of a hash. */
  static final int BYTES = 32;

  private Sha256Hash() {}

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /** Whether a text is a hash in lower-case hex digits. */
  static boolean isHex(String text) {
    return text.length() == 2 * BYTES
        && text.chars().allMatch(c -> c >= '0' && c <= '9' || c >= 'a' && c <= 'f');
  }
}
