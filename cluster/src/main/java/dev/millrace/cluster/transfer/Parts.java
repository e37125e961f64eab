package dev.millrace.cluster.transfer;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files as if they were one. One thread at a time. */
final class Parts implements AutoCloseable {
  /** A piece of one of the files. */
  record Piece(int part, long position, int length) {}

  private final List<FileChannel> channels = new ArrayList<>();
  private final List<Long> sizes;

  /** Opens the files to be read; their sizes are those that they should have. */
  Parts(List<Path> files, List<Long> sizes) throws IOException {
    this.sizes = sizes;
    try {
      for (Path file : files) {
        channels.add(FileChannel.open(file));
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Which pieces of files of these sizes are bytes [start, start + length) of all together. */
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
   * @throws EOFException where a file is shorter than it should be
   */
  void read(long start, byte[] target, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(target);
    for (Piece piece : pieces(sizes, start, length)) {
      buffer.limit(buffer.position() + piece.length());
      for (long at = piece.position(); buffer.hasRemaining(); ) {
        int read = channels.get(piece.part()).read(buffer, at);
        if (read < 0) {
          throw new EOFException("the file ends at " + at);
        }
        at += read;
      }
    }
  }

  @Override
  public void close() {
    for (FileChannel channel : channels) {
      try {
        channel.close();
      } catch (IOException e) {
        // It was read only.
      }
    }
  }
}
