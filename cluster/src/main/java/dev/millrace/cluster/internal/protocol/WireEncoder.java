package dev.millrace.cluster.internal.protocol;

import dev.millrace.cluster.ClusterException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;

/** Writes what a {@link WireDecoder} reads, with the same bounds. Numbers are big-endian. */
public final class WireEncoder {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);

  public WireEncoder number(int value) {
    return bytes(ByteBuffer.allocate(Integer.BYTES).putInt(value).array());
  }

  WireEncoder number(long value) {
    return bytes(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
  }

  WireEncoder number(double value) {
    return number(Double.doubleToRawLongBits(value));
  }

  WireEncoder flag(boolean value) {
    return number(value ? 1 : 0);
  }

  /** A text; control characters become blanks, because texts end up in logs and on terminals. */
  WireEncoder text(String value, int limit) {
    StringBuilder plain = new StringBuilder(value);
    for (int i = 0; i < plain.length(); i++) {
      if (Character.isISOControl(plain.charAt(i))) {
        plain.setCharAt(i, ' ');
      }
    }
    byte[] utf8 = plain.toString().getBytes(StandardCharsets.UTF_8);
    if (utf8.length > limit) {
      throw new ClusterException(
          "a text of %d bytes for other nodes, where %d is the limit: \"%.60s…\""
              .formatted(utf8.length, limit, plain));
    }
    return number(utf8.length).bytes(utf8);
  }

  /** A text that is cut if it is too long. */
  public WireEncoder truncatedText(String value, int limit) {
    int fits = limit / 3;
    return text(value.length() <= fits ? value : value.substring(0, fits - 1) + "…", limit);
  }

  public <T> WireEncoder list(List<T> items, int limit, BiConsumer<WireEncoder, T> item) {
    if (items.size() > limit) {
      throw new ClusterException(
          "a list of %d for other nodes, where %d is the limit".formatted(items.size(), limit));
    }
    number(items.size());
    items.forEach(each -> item.accept(this, each));
    return this;
  }

  public ByteBuffer toBuffer() {
    return ByteBuffer.wrap(out.toByteArray());
  }

  private WireEncoder bytes(byte[] bytes) {
    out.write(bytes, 0, bytes.length);
    return this;
  }
}
