package dev.millrace.cluster.internal.transfer;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads several files as if they were one; one of them is open at a time. One thread at a time. */
final class ConcatenatedFiles implements AutoCloseable {
  /** A piece of one of the files. */
  record Piece(int part, long position, int length) {}

  private final List<Path> files;
  private final List<Long> sizes;
  private int part = -1; // the one that is open
  private @Nullable FileChannel channel;

  /**
   * @param sizes the expected sizes
   */
  ConcatenatedFiles(List<Path> files, List<Long> sizes) {
    this.files = files;
    this.sizes = sizes;
  }

  /** The pieces of files that make up the bytes [start, start + length). */
  static List<Piece> pieces(List<Long> sizes, long start, int length) {
    List<Piece> pieces = new ArrayList<>();
    long before = 0;
    long at = start;
    long end = start + length;
    for (int part = 0; part < sizes.size() && at < end; part++) {
      long after = before + sizes.get(part);
      if (at < after) {
        int some = (int) (Math.min(end, after) - at);
        pieces.add(new Piece(part, at - before, some));
        at += some;
      }
      before = after;
    }
    return pieces;
  }

  /**
   * @throws EOFException if a file is shorter than expected
   * @throws java.nio.file.NoSuchFileException if a file is missing
   */
  void read(long start, byte[] target, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(target);
    for (Piece piece : pieces(sizes, start, length)) {
      FileChannel from = open(piece.part());
      buffer.limit(buffer.position() + piece.length());
      for (long at = piece.position(); buffer.hasRemaining(); ) {
        int read = from.read(buffer, at);
        if (read < 0) {
          throw new EOFException("the file ends at " + at);
        }
        at += read;
      }
    }
  }

  private FileChannel open(int next) throws IOException {
    FileChannel opened = channel;
    if (opened == null || part != next) {
      close();
      opened = FileChannel.open(files.get(next));
      channel = opened;
      part = next;
    }
    return opened;
  }

  @Override
  public void close() {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // It was only read.
    }
    channel = null;
  }
}
