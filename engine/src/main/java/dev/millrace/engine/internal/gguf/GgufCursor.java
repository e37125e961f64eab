package dev.millrace.engine.internal.gguf;

import dev.millrace.engine.gguf.GgufException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Reads a file from its beginning through a small buffer. It knows how many bytes remain, and
 * checks every count from the file against them before use.
 */
final class GgufCursor {
  /** The most bytes that are read in all. Known headers have about 20 million at most. */
  static final long MOST = 1L << 27;

  private static final int BUFFER = 1 << 16;

  private final Path file;
  private final FileChannel channel;
  private final long size;
  private final byte[] bytes = new byte[BUFFER];
  private final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).limit(0);
  private long loaded;

  /** A cursor at byte 0 of a file of {@code size} bytes. */
  GgufCursor(Path file, FileChannel channel, long size) {
    this.file = file;
    this.channel = channel;
    this.size = size;
  }

  /** The offset in the file of the next byte. */
  long offset() {
    return loaded - buffer.remaining();
  }

  long remaining() {
    return size - offset();
  }

  byte int8() {
    return take(1, "a number of 1 byte").get();
  }

  short int16() {
    return take(2, "a number of 2 bytes").getShort();
  }

  int int32() {
    return take(4, "a number of 4 bytes").getInt();
  }

  long int64() {
    return take(8, "a number of 8 bytes").getLong();
  }

  /** A string of at most {@code most} bytes, after its length. */
  String string(String what, int most) {
    long start = offset();
    long length = int64();
    if (length < 0 || length > most) {
      throw error(
          start, what + " has at most " + most + " bytes, not " + Long.toUnsignedString(length));
    }
    if (!hasBytes(length)) {
      throw tooLong(start, what, length);
    }
    if (length > BUFFER) {
      return GgufStrings.decode(large((int) length, what), 0, (int) length);
    }
    take((int) length, what);
    String text = GgufStrings.decode(bytes, buffer.position(), (int) length);
    buffer.position(buffer.position() + (int) length);
    return text;
  }

  /** Whether at least {@code length} more bytes may be read. */
  boolean hasBytes(long length) {
    return length <= Math.min(remaining(), MOST - offset());
  }

  /** The error for a length at {@code start} that {@link #hasBytes} rejects. */
  GgufException tooLong(long start, String what, long length) {
    return error(
        start,
        length > remaining()
            ? what + " takes " + length + " bytes, but the file ends after " + remaining() + " more"
            : what + " takes " + length + " bytes, but a header has at most " + MOST + " in all");
  }

  GgufException error(long at, String rule) {
    return new GgufException(file + ": byte " + at + ": " + rule);
  }

  private byte[] large(int length, String what) {
    byte[] large = new byte[length];
    for (int done = 0; done < length; ) {
      int part = Math.min(length - done, BUFFER);
      take(part, what).get(large, done, part);
      done += part;
    }
    return large;
  }

  /** The buffer, with at least {@code length} bytes in it. */
  private ByteBuffer take(int length, String what) {
    if (buffer.remaining() < length) {
      if (!hasBytes(length)) {
        throw tooLong(offset(), what, length);
      }
      fill(length);
    }
    return buffer;
  }

  private void fill(int length) {
    try {
      buffer.compact();
      while (buffer.position() < length) {
        int read = channel.read(buffer, loaded);
        if (read < 0) {
          throw error(loaded, "the file ends here while it is read; it had " + size + " bytes");
        }
        loaded += read;
      }
      buffer.flip();
    } catch (IOException e) {
      throw GgufPart.unreadable(file, loaded, e);
    }
  }
}
