package dev.millrace.engine.internal.gguf;

import dev.millrace.engine.gguf.GgufException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One open file of a model. */
record GgufPart(Path file, FileChannel channel, GgufHeader header) implements AutoCloseable {
  /** The most that is read at once: for a target on the heap, the JDK keeps a copy of that size. */
  private static final int CHUNK = 1 << 23;

  static GgufPart open(Path file) {
    if (Files.isDirectory(file)) {
      throw new GgufException(file + ": is a directory, not a GGUF file");
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new GgufException(file + ": is not a regular file");
    }
    try {
      FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
      try {
        return new GgufPart(
            file, channel, GgufHeader.read(new GgufCursor(file, channel, channel.size())));
      } catch (Throwable e) {
        channel.close();
        throw e;
      }
    } catch (NoSuchFileException e) {
      throw new GgufException(file + ": there is no such file", e);
    } catch (AccessDeniedException e) {
      throw new GgufException(file + ": the file may not be read by this user", e);
    } catch (IOException e) {
      throw new GgufException(file + ": cannot be opened: " + e, e);
    }
  }

  /** Fills {@code target} from an offset in the file. */
  void read(long offset, MemorySegment target) {
    long size = target.byteSize();
    try {
      for (long done = 0; done < size; ) {
        long length = Math.min(CHUNK, size - done);
        fill(offset + done, target.asSlice(done, length));
        done += length;
      }
    } catch (IOException e) {
      throw unreadable(file, offset, e);
    }
  }

  static GgufException unreadable(Path file, long offset, IOException e) {
    String reason =
        switch (e) {
          case ClosedByInterruptException _ -> "the thread that read was interrupted";
          case ClosedChannelException _ -> "it was closed";
          default -> e.toString();
        };
    return new GgufException(file + ": byte " + offset + ": cannot be read: " + reason, e);
  }

  private void fill(long offset, MemorySegment target) throws IOException {
    boolean bytes = target.isNative() || target.heapBase().orElseThrow() instanceof byte[];
    ByteBuffer buffer =
        bytes ? target.asByteBuffer() : ByteBuffer.allocate((int) target.byteSize());
    while (buffer.hasRemaining()) {
      int read = channel.read(buffer, offset + buffer.position());
      if (read < 0) {
        throw new GgufException(
            file
                + ": byte "
                + (offset + buffer.position())
                + ": the file ends here, but was longer when it was opened");
      }
    }
    if (!bytes) {
      target.copyFrom(MemorySegment.ofBuffer(buffer.flip()));
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new GgufException(file + ": cannot be closed: " + e, e);
    }
  }
}
