package dev.millrace.cluster.internal.protocol;

import dev.millrace.cluster.ClusterException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Reads bytes of another node. They may be anything, so nothing is allocated before its bytes are
 * known to be there.
 */
public final class WireDecoder {
  private final String what;
  private final ByteBuffer in;

  /**
   * @param what what is read, for errors
   * @param bytes all bytes; their position does not change
   */
  public WireDecoder(String what, ByteBuffer bytes) {
    this.what = what;
    this.in = bytes.slice();
  }

  int integer() {
    return need(Integer.BYTES).getInt();
  }

  long number() {
    return need(Long.BYTES).getLong();
  }

  double real() {
    return Double.longBitsToDouble(number());
  }

  boolean flag() {
    int value = integer();
    if (value != 0 && value != 1) {
      throw bad("a flag is neither 0 nor 1: " + value);
    }
    return value == 1;
  }

  public <E extends Enum<E>> E enumValue(E[] values) {
    int ordinal = integer();
    if (ordinal < 0 || ordinal >= values.length) {
      throw bad(
          "%s has no value %d".formatted(values[0].getDeclaringClass().getSimpleName(), ordinal));
    }
    return values[ordinal];
  }

  public String text(int limit) {
    int length = integer();
    if (length < 0 || length > limit) {
      throw bad("a text of %d bytes, where %d is the limit".formatted(length, limit));
    }
    ByteBuffer utf8 = need(length).slice(in.position(), length);
    in.position(in.position() + length);
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
      if (text.chars().anyMatch(Character::isISOControl)) {
        throw bad("a text with control characters");
      }
      return text;
    } catch (CharacterCodingException e) {
      throw bad("a text that is not UTF-8");
    }
  }

  public <T> List<T> list(int limit, Function<WireDecoder, T> item) {
    int size = integer();
    if (size < 0 || size > limit) {
      throw bad("a list of %d, where %d is the limit".formatted(size, limit));
    }
    List<T> items = new ArrayList<>(Math.min(size, in.remaining()));
    for (int i = 0; i < size; i++) {
      items.add(item.apply(this));
    }
    return items;
  }

  /** Returns the value if nothing is left to read. */
  public <T> T requireEnd(T value) {
    if (in.hasRemaining()) {
      throw bad("%d bytes too many".formatted(in.remaining()));
    }
    return value;
  }

  private ByteBuffer need(int bytes) {
    if (in.remaining() < bytes) {
      throw bad("it ends %d bytes too early".formatted(bytes - in.remaining()));
    }
    return in;
  }

  private ClusterException bad(String why) {
    return new ClusterException(
        "%s from another node cannot be read: at byte %d: %s".formatted(what, in.position(), why));
  }
}
