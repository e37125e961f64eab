package dev.millrace.cluster.internal.transfer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps hashes of models in small files, so that the next start does not read the models again. An
 * entry that cannot be read, or does not fit the files, is ignored.
 */
final class HashCache {
  private static final int MAGIC = 0x4d52_4958; // MRIX
  private static final int VERSION = 1;
  private static final AtomicLong DRAFTS = new AtomicLong();

  private final Path directory;

  HashCache(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
  }

  /** The entry of these files, if they are unchanged. */
  Optional<HashedModel> find(List<Path> files) {
    try {
      byte[] all = Files.readAllBytes(entry(files));
      List<HashedModel.FileStamp> now = HashedModel.stamps(files);
      HashedModel known = read(all, now);
      return known.stamps().equals(now) ? Optional.of(known) : Optional.empty();
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private static HashedModel read(byte[] all, List<HashedModel.FileStamp> now) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(verifyChecksum(all, MAGIC)));
    byte[] sha256 = in.readNBytes(Sha256Hash.BYTES);
    List<HashedModel.FileStamp> stamps = new ArrayList<>();
    long bytes = 0;
    for (HashedModel.FileStamp stamp : now) {
      stamps.add(
          new HashedModel.FileStamp(stamp.file(), in.readLong(), in.readLong(), in.readUTF()));
      bytes += stamp.bytes();
    }
    return new HashedModel(HexFormat.of().formatHex(sha256), stamps, ChunkHashes.read(in, bytes));
  }

  void save(HashedModel known) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(HexFormat.of().parseHex(known.sha256()));
    for (HashedModel.FileStamp stamp : known.stamps()) {
      out.writeLong(stamp.bytes());
      out.writeLong(stamp.modified());
      out.writeUTF(stamp.key());
    }
    known.chunks().write(out);
    write(entry(known.files()), withChecksum(bytes.toByteArray(), MAGIC));
  }

  /** Named after the paths: the entry of a changed file is replaced. */
  private Path entry(List<Path> files) {
    MessageDigest digest = Sha256Hash.digest();
    for (Path file : files) {
      digest.update(file.toString().getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
    }
    return directory.resolve(HexFormat.of().formatHex(digest.digest(), 0, 16) + ".hash");
  }

  /** Adds magic, version and length before, and a hash after the body. */
  static byte[] withChecksum(byte[] body, int magic) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(magic);
    out.writeInt(VERSION);
    out.writeInt(body.length);
    out.write(body);
    out.write(Sha256Hash.digest().digest(bytes.toByteArray()));
    return bytes.toByteArray();
  }

  /** Checks all that, and returns the body. */
  static byte[] verifyChecksum(byte[] all, int magic) throws IOException {
    int end = all.length - Sha256Hash.BYTES;
    if (end < 12) {
      throw new InvalidModelDataException("too short");
    }
    MessageDigest digest = Sha256Hash.digest();
    digest.update(all, 0, end);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(all));
    if (!Arrays.equals(digest.digest(), Arrays.copyOfRange(all, end, all.length))
        || in.readInt() != magic
        || in.readInt() != VERSION
        || in.readInt() != end - 12) {
      throw new InvalidModelDataException("not what was written");
    }
    return Arrays.copyOfRange(all, 12, end);
  }

  /** Writes a file atomically. */
  static void write(Path file, byte[] bytes) throws IOException {
    Path draft =
        file.resolveSibling(
            file.getFileName()
                + "."
                + ProcessHandle.current().pid()
                + "-"
                + DRAFTS.incrementAndGet());
    try {
      Files.write(draft, bytes);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(draft);
    }
  }
}
