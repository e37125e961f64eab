package dev.millrace.cluster.transfer;

import dev.millrace.cluster.ClusterException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model on its way into the cache: {@code SHA256.part}, a directory with the hashes of the chunks
 * as a peer told them, and the bytes so far. Which chunks are there is written down nowhere: they
 * are hashed again when it is opened, so that after a crash there is nothing to be believed. One
 * thread at a time, and one process.
 */
final class Landing implements AutoCloseable {
  private static final int MAGIC = 0x4d52_4c44; // MRLD

  private final Fetch.Wanted wanted;
  private final Path cache;
  private final Path directory;
  private final Path files; // hidden: nobody looks for models in it
  private final Disk disk;
  private final FileChannel lock;
  private final BooleanSupplier stop;
  private final byte[] buffer = new byte[Chunks.SIZE];
  private final BitSet verified = new BitSet();
  private @Nullable Chunks chunks;
  private volatile long done;

  private Landing(Path cache, Fetch.Wanted wanted, Disk disk, BooleanSupplier stop)
      throws IOException {
    this.wanted = wanted;
    this.cache = cache;
    this.disk = disk;
    this.stop = stop;
    directory = cache.resolve(wanted.sha256() + ".part");
    files = Files.createDirectories(directory.resolve(".files"));
    lock =
        FileChannel.open(
            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /** Goes on where an earlier one ended. */
  static Landing open(Path cache, Fetch.Wanted wanted, Disk disk, BooleanSupplier stop)
      throws IOException {
    Landing landing = new Landing(cache, wanted, disk, stop);
    try {
      landing.lock();
      landing.resume();
      return landing;
    } catch (Throwable e) {
      landing.lock.close();
      throw e;
    }
  }

  private void lock() throws IOException {
    FileLock got;
    try {
      got = lock.tryLock();
    } catch (OverlappingFileLockException e) {
      got = null;
    }
    if (got == null) {
      throw new ClusterException(
          directory + ": somebody else is fetching this model; wait for it, or use another cache");
    }
  }

  private void resume() throws IOException {
    try {
      byte[] told = Index.opened(Files.readAllBytes(manifest()), MAGIC);
      chunks = Chunks.read(new DataInputStream(new ByteArrayInputStream(told)), wanted.bytes());
      verify();
    } catch (NoSuchFileException | UntrueException | EOFException e) {
      chunks = null;
    }
  }

  private Path manifest() {
    return directory.resolve("chunks");
  }

  /** What the bytes are checked with; null before somebody has told it. */
  @Nullable Chunks chunks() {
    return chunks;
  }

  /** From now on these are what bytes are checked with; the bytes here are checked first. */
  void adopt(Chunks told) throws IOException {
    if (told.equals(chunks)) {
      return;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    told.write(new DataOutputStream(bytes));
    Index.write(manifest(), Index.sealed(bytes.toByteArray(), MAGIC));
    chunks = told;
    verify();
  }

  /** Finds out which chunks are here: as long as the files are, each is read. */
  private void verify() throws IOException {
    verified.clear();
    done = 0;
    Chunks all = told();
    trim();
    try (Parts here = new Parts(parts(), all.parts())) {
      for (int chunk = 0; chunk < all.count(); chunk++) {
        checkStop();
        if (isHere(here, chunk)) {
          verified.set(chunk);
          done += all.length(chunk);
        }
      }
    }
  }

  /** Leaves the files that are told of, none longer than is told: others were told once. */
  private void trim() throws IOException {
    List<Path> parts = parts();
    try (var all = Files.list(files)) {
      for (Path file : all.filter(file -> !parts.contains(file)).toList()) {
        Files.delete(file);
      }
    }
    for (int i = 0; i < parts.size(); i++) {
      try (FileChannel channel =
          FileChannel.open(parts.get(i), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        channel.truncate(told().parts().get(i));
      }
    }
  }

  private boolean isHere(Parts here, int chunk) throws IOException {
    try {
      here.read(Chunks.start(chunk), buffer, told().length(chunk));
      return told().matches(chunk, hash(told().length(chunk)));
    } catch (EOFException e) {
      return false;
    }
  }

  private byte[] hash(int length) {
    MessageDigest digest = Sha256.digest();
    digest.update(buffer, 0, length);
    return digest.digest();
  }

  private void checkStop() {
    if (stop.getAsBoolean()) {
      throw new ClusterException(
          "fetching %s was stopped; what is here is kept".formatted(wanted.model()));
    }
  }

  private Chunks told() {
    Chunks told = chunks;
    if (told == null) {
      throw new IllegalStateException("nobody has told the chunks yet");
    }
    return told;
  }

  /** Where a chunk is read into; its owner hands it over with {@link #put}. */
  byte[] buffer() {
    return buffer;
  }

  /** Whether the buffer holds that chunk. */
  boolean fits(int chunk) {
    return told().matches(chunk, hash(told().length(chunk)));
  }

  /** Writes the chunk in the buffer, which fits. */
  void put(int chunk) throws IOException {
    int at = 0;
    int length = told().length(chunk);
    for (Parts.Piece piece : Parts.pieces(told().parts(), Chunks.start(chunk), length)) {
      ByteBuffer data = ByteBuffer.wrap(buffer, at, piece.length());
      disk.write(parts().get(piece.part()), piece.position(), data);
      at += piece.length();
    }
    verified.set(chunk);
    done += length;
  }

  /** The first chunk from there on that is not here; the number of chunks where all are. */
  int missing(int from) {
    return Math.min(verified.nextClearBit(from), told().count());
  }

  /** The end of the missing chunks that begin with this one. */
  int missingUntil(int from) {
    int next = verified.nextSetBit(from);
    return next < 0 ? told().count() : next;
  }

  boolean isComplete() {
    return chunks != null && missing(0) == told().count();
  }

  /** Bytes that are here and fit. Any thread. */
  long done() {
    return done;
  }

  /** Fails where the disk has no room for the rest. */
  void checkRoom() throws IOException {
    long rest = wanted.bytes() - done;
    long usable = disk.usable(files);
    if (usable < rest) {
      throw new ClusterException(
          "%s: no room for %s: %d MB more are needed and %d MB free; %s"
              .formatted(
                  cache,
                  wanted.model(),
                  (rest >> 20) + 1,
                  usable >> 20,
                  "make room, or use another cache"));
    }
  }

  /** Whether all bytes here have the hash that was wanted. */
  boolean isRight() throws IOException {
    MessageDigest digest = Sha256.digest();
    try (Parts here = new Parts(parts(), told().parts())) {
      for (int chunk = 0; chunk < told().count(); chunk++) {
        checkStop();
        here.read(Chunks.start(chunk), buffer, told().length(chunk));
        digest.update(buffer, 0, told().length(chunk));
      }
    }
    return HexFormat.of().formatHex(digest.digest()).equals(wanted.sha256());
  }

  /**
   * All is here, but is not what was wanted. Where the disk gave back other bytes than it got,
   * these chunks are missing again; otherwise the hashes of the chunks were a lie and are dropped.
   *
   * @return whether they were a lie
   */
  boolean doubt() throws IOException {
    verify();
    if (!isComplete()) {
      return false;
    }
    chunks = null;
    verified.clear();
    done = 0;
    Files.deleteIfExists(manifest());
    return true;
  }

  private List<Path> parts() {
    int count = told().parts().size();
    String name = "model-" + wanted.sha256().substring(0, 8);
    List<Path> parts = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      String file = count == 1 ? name + ".gguf" : "%s-%05d-of-%05d.gguf".formatted(name, i, count);
      parts.add(files.resolve(file));
    }
    return parts;
  }

  /** Moves the whole model to its place in one step, and goes. */
  List<Path> land() throws IOException {
    List<Path> parts = parts();
    for (Path part : parts) {
      try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
    }
    boolean one = parts.size() == 1;
    Path place = place(one ? ".gguf" : "");
    Files.move(one ? parts.getFirst() : files, place, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel channel = FileChannel.open(cache)) {
      channel.force(true);
    }
    Files.deleteIfExists(manifest());
    Files.deleteIfExists(directory.resolve("lock"));
    Files.deleteIfExists(files);
    Files.deleteIfExists(directory);
    return one
        ? List.of(place)
        : parts.stream().map(part -> place.resolve(part.getFileName())).toList();
  }

  /** A name that people know it by, made of nothing that means something to a file system. */
  private Path place(String suffix) {
    String plain = wanted.model().replaceFirst("(-\\d{5}-of-\\d{5})?\\.gguf$", "");
    String name = plain.replaceAll("[^A-Za-z0-9._-]", "_").replaceFirst("^[.-]+", "");
    name = name.isEmpty() ? "model" : name.substring(0, Math.min(name.length(), 100));
    Path place = cache.resolve(name + "-" + wanted.sha256().substring(0, 8) + suffix);
    // What is there by that name is not this model, or it would have been found.
    return Files.exists(place) ? cache.resolve(name + "-" + wanted.sha256() + suffix) : place;
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
