package dev.millrace.http.transport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Compresses responses for clients that accept gzip. */
public final class Gzip {
  /** Smaller bodies are not compressed. */
  static final int MIN_BYTES = 1024;

  private Gzip() {}

  /** Whether {@code Accept-Encoding} allows gzip (RFC 9110, 12.5.3). */
  public static boolean accepted(@Nullable String acceptEncoding) {
    if (acceptEncoding == null) {
      return false;
    }
    boolean any = false;
    for (String part : acceptEncoding.split(",")) {
      String[] words = part.strip().toLowerCase(Locale.ROOT).split("\\s*;\\s*");
      boolean wanted = weight(words) > 0;
      if (words[0].equals("gzip") || words[0].equals("x-gzip")) {
        return wanted;
      }
      any |= words[0].equals("*") && wanted;
    }
    return any;
  }

  private static double weight(String[] words) {
    for (int i = 1; i < words.length; i++) {
      if (words[i].startsWith("q=")) {
        try {
          return Double.parseDouble(words[i].substring(2));
        } catch (NumberFormatException e) {
          return 0;
        }
      }
    }
    return 1;
  }

  static byte[] pack(byte[] content) {
    return pack(content, Deflater.BEST_SPEED);
  }

  /** As small as possible, for content that is compressed once and sent often. */
  public static byte[] packTightly(byte[] content) {
    return pack(content, Deflater.BEST_COMPRESSION);
  }

  private static byte[] pack(byte[] content, int level) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream(content.length / 4 + 64);
    try (GZIPOutputStream out = new Leveled(packed, level)) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // cannot happen in memory
    }
    return packed.toByteArray();
  }

  /** At the fastest level, JSON compresses nearly as well as at the usual one, in half the time. */
  private static final class Leveled extends GZIPOutputStream {
    Leveled(ByteArrayOutputStream out, int level) throws IOException {
      super(out, 8192);
      def.setLevel(level);
    }
  }
}
