package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.ClusterException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model on its way into the cache, chunk by chunk. Which chunks are there is written down
 * nowhere: they are hashed again when it is opened, so that after a crash there is nothing to be
 * believed. One thread at a time, and one process.
 */
final class PartialModel {
  private final ModelFetch.WantedModel wanted;
  private final Path cache;
  private final PartialModelDirectory directory;
  private final FetchDisk disk;
  private final BooleanSupplier stop;
  private final byte[] buffer = new byte[ChunkHashes.SIZE];
  private final BitSet verified = new BitSet();
  private @Nullable ChunkHashes chunks;
  private volatile long done;

  private PartialModel(
      Path cache,
      ModelFetch.WantedModel wanted,
      PartialModelDirectory directory,
      FetchDisk disk,
      BooleanSupplier stop) {
    this.wanted = wanted;
    this.cache = cache;
    this.directory = directory;
    this.disk = disk;
    this.stop = stop;
  }

  /** Goes on where an earlier one ended. */
  static PartialModel open(
      Path cache,
      ModelFetch.WantedModel wanted,
      PartialModelDirectory directory,
      FetchDisk disk,
      BooleanSupplier stop)
      throws IOException {
    PartialModel landing = new PartialModel(cache, wanted, directory, disk, stop);
    landing.chunks = directory.readManifest();
    if (landing.chunks != null) {
      landing.verify();
    }
    return landing;
  }

  /** What the bytes are checked with; null before somebody has told it. */
  @Nullable ChunkHashes chunks() {
    return chunks;
  }

  /** From now on these are what bytes are checked with; the bytes here are checked first. */
  void adopt(ChunkHashes told) throws IOException {
    if (told.equals(chunks)) {
      return;
    }
    directory.writeManifest(told);
    chunks = told;
    verify();
  }

  /** Finds out which chunks are here: as long as the files are, each is read. */
  private void verify() throws IOException {
    verified.clear();
    done = 0;
    ChunkHashes all = told();
    directory.trim(all);
    try (ConcatenatedFiles here = parts()) {
      for (int chunk = 0; chunk < all.count(); chunk++) {
        checkStop();
        if (isHere(here, chunk)) {
          verified.set(chunk);
          done += all.length(chunk);
        }
      }
    }
  }

  private boolean isHere(ConcatenatedFiles here, int chunk) throws IOException {
    try {
      here.read(ChunkHashes.start(chunk), buffer, told().length(chunk));
      return told().matches(chunk, hash(told().length(chunk)));
    } catch (EOFException | NoSuchFileException e) {
      return false;
    }
  }

  private byte[] hash(int length) {
    MessageDigest digest = Sha256Hash.digest();
    digest.update(buffer, 0, length);
    return digest.digest();
  }

  private void checkStop() {
    if (stop.getAsBoolean()) {
      throw new ClusterException(
          "fetching %s was stopped; what is here is kept".formatted(wanted.model()));
    }
  }

  private ChunkHashes told() {
    ChunkHashes told = chunks;
    if (told == null) {
      throw new IllegalStateException("nobody has told the chunks yet");
    }
    return told;
  }

  /** Where a chunk is read into; its owner hands it over with {@link #writeChunk}. */
  byte[] buffer() {
    return buffer;
  }

  /** Whether the buffer holds that chunk. */
  boolean bufferMatches(int chunk) {
    return told().matches(chunk, hash(told().length(chunk)));
  }

  /** Writes the chunk in the buffer, which fits. */
  void writeChunk(int chunk) throws IOException {
    int at = 0;
    int length = told().length(chunk);
    List<Path> files = directory.files(told());
    for (ConcatenatedFiles.Piece piece :
        ConcatenatedFiles.pieces(told().parts(), ChunkHashes.start(chunk), length)) {
      ByteBuffer data = ByteBuffer.wrap(buffer, at, piece.length());
      disk.write(files.get(piece.part()), piece.position(), data);
      at += piece.length();
    }
    verified.set(chunk);
    done += length;
  }

  /** The first chunk from there on that is not here; the number of chunks where all are. */
  int nextMissing(int from) {
    return Math.min(verified.nextClearBit(from), told().count());
  }

  /** The end of the missing chunks that begin with this one. */
  int missingUntil(int from) {
    int next = verified.nextSetBit(from);
    return next < 0 ? told().count() : next;
  }

  boolean isComplete() {
    return chunks != null && nextMissing(0) == told().count();
  }

  /** Bytes that are here and fit. Any thread. */
  long verifiedBytes() {
    return done;
  }

  /** Fails where the disk has no room for the rest. */
  void checkRoom() throws IOException {
    long rest = wanted.bytes() - done;
    long usable = directory.usable(disk);
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
  boolean hasWantedHash() throws IOException {
    MessageDigest digest = Sha256Hash.digest();
    try (ConcatenatedFiles here = parts()) {
      for (int chunk = 0; chunk < told().count(); chunk++) {
        checkStop();
        here.read(ChunkHashes.start(chunk), buffer, told().length(chunk));
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
  boolean dropWrongChunks() throws IOException {
    verify();
    if (!isComplete()) {
      return false;
    }
    chunks = null;
    verified.clear();
    done = 0;
    directory.deleteManifest();
    return true;
  }

  private ConcatenatedFiles parts() {
    return new ConcatenatedFiles(directory.files(told()), told().parts());
  }

  /** Moves the whole model to its place in one step, and goes. */
  List<Path> moveIntoCache() throws IOException {
    return directory.moveIntoCache(told());
  }
}
