package dev.millrace.tls;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Encodes the few DER elements (X.690) that a certificate is made of. */
public final class DerEncoder {
  private DerEncoder() {}

  public static byte[] sequence(byte[]... parts) {
    return element(0x30, parts);
  }

  public static byte[] set(byte[]... parts) {
    return element(0x31, parts);
  }

  public static byte[] explicit(int tag, byte[] part) {
    return element(0xa0 | tag, part);
  }

  /** A number from 0 to 127. */
  public static byte[] integer(int value) {
    return element(0x02, new byte[] {(byte) value});
  }

  public static byte[] oid(byte[] encoded) {
    return element(0x06, encoded);
  }

  public static byte[] bitString(byte[] value) {
    return element(0x03, new byte[] {0}, value);
  }

  public static byte[] utf8String(String value) {
    return element(0x0c, value.getBytes(StandardCharsets.UTF_8));
  }

  /** GeneralizedTime, {@code YYYYMMDDHHMMSSZ}. */
  public static byte[] time(String value) {
    return element(0x18, value.getBytes(StandardCharsets.US_ASCII));
  }

  public static byte[] element(int tag, byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(length + 5);
    out.write(tag);
    if (length < 0x80) {
      out.write(length);
    } else {
      int bytes = length < 0x100 ? 1 : length < 0x10000 ? 2 : 3;
      out.write(0x80 | bytes);
      for (int i = bytes - 1; i >= 0; i--) {
        out.write(length >>> (8 * i));
      }
    }
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}
