package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.text.FileErrors;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Reads a model's files once, and hashes the whole model and each chunk. */
final class ModelHasher {
  private final List<Path> files;
  private final BooleanSupplier stop;
  private final MessageDigest whole = Sha256Hash.digest();
  private final MessageDigest chunk = Sha256Hash.digest();
  private final ByteArrayOutputStream hashes = new ByteArrayOutputStream();
  private final ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
  private int inChunk;
  private volatile long done;

  /**
   * @param stop checked now and then
   */
  ModelHasher(List<Path> files, BooleanSupplier stop) {
    this.files = List.copyOf(files);
    this.stop = stop;
  }

  List<Path> files() {
    return files;
  }

  /** Bytes read so far. Any thread. */
  long hashedBytes() {
    return done;
  }

  /**
   * @throws ClusterException if the files cannot be read or change meanwhile, or if it is stopped
   */
  HashedModel run() {
    try {
      List<HashedModel.FileStamp> before = HashedModel.stamps(files);
      for (Path file : files) {
        read(file);
      }
      if (inChunk > 0) {
        hashes.write(chunk.digest());
      }
      if (!HashedModel.stamps(files).equals(before)) {
        throw new ClusterException(
            files.getFirst()
                + ": the file changed while it was read; start again when it is complete");
      }
      String sha256 = HexFormat.of().formatHex(whole.digest());
      List<Long> parts = before.stream().map(HashedModel.FileStamp::bytes).toList();
      return new HashedModel(sha256, before, new ChunkHashes(parts, hashes.toByteArray()));
    } catch (IOException e) {
      throw new ClusterException(
          files.getFirst() + ": the model cannot be read: " + FileErrors.of(e), e);
    }
  }

  private void read(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      while (channel.read(buffer.clear()) >= 0) {
        if (stop.getAsBoolean()) {
          throw new ClusterException(file + ": hashing was stopped");
        }
        whole.update(buffer.array(), 0, buffer.position());
        split(buffer.position());
        done += buffer.position();
      }
    }
  }

  private void split(int bytes) {
    for (int at = 0; at < bytes; ) {
      int some = Math.min(bytes - at, ChunkHashes.SIZE - inChunk);
      chunk.update(buffer.array(), at, some);
      inChunk += some;
      at += some;
      if (inChunk == ChunkHashes.SIZE) {
        hashes.writeBytes(chunk.digest());
        inChunk = 0;
      }
    }
  }
}
