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
 * A model that is being fetched into the cache, chunk by chunk. No file says which chunks are
 * there: they are hashed again when it is opened, so that a crash cannot leave a wrong record. One
 * thread at a time, and one process.
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

  /** Continues where an earlier fetch ended. */
  static PartialModel open(
      Path cache,
      ModelFetch.WantedModel wanted,
      PartialModelDirectory directory,
      FetchDisk disk,
      BooleanSupplier stop)
      throws IOException {
    PartialModel partial = new PartialModel(cache, wanted, directory, disk, stop);
    partial.chunks = directory.readManifest();
    if (partial.chunks != null) {
      partial.verify();
    }
    return partial;
  }

  /** The chunk hashes in use; null before a peer has sent them. */
  @Nullable ChunkHashes chunks() {
    return chunks;
  }

  /** Uses these chunk hashes from now on; chunks that are here are checked against them first. */
  void adopt(ChunkHashes chunkHashes) throws IOException {
    if (chunkHashes.equals(chunks)) {
      return;
    }
    directory.writeManifest(chunkHashes);
    chunks = chunkHashes;
    verify();
  }

  /** Hashes the files to find out which chunks are here. */
  private void verify() throws IOException {
    verified.clear();
    done = 0;
    ChunkHashes all = chunkHashes();
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
      here.read(ChunkHashes.start(chunk), buffer, chunkHashes().length(chunk));
      return chunkHashes().matches(chunk, hash(chunkHashes().length(chunk)));
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
          "fetching %s was stopped; fetched chunks are kept".formatted(wanted.model()));
    }
  }

  private ChunkHashes chunkHashes() {
    ChunkHashes chunkHashes = chunks;
    if (chunkHashes == null) {
      throw new IllegalStateException("no chunk hashes are known yet");
    }
    return chunkHashes;
  }

  /** The buffer for the next chunk; {@link #writeChunk} writes it. */
  byte[] buffer() {
    return buffer;
  }

  /** Whether the buffer holds this chunk. */
  boolean bufferMatches(int chunk) {
    return chunkHashes().matches(chunk, hash(chunkHashes().length(chunk)));
  }

  /** Writes the chunk in the buffer. */
  void writeChunk(int chunk) throws IOException {
    int at = 0;
    int length = chunkHashes().length(chunk);
    List<Path> files = directory.files(chunkHashes());
    for (ConcatenatedFiles.Piece piece :
        ConcatenatedFiles.pieces(chunkHashes().parts(), ChunkHashes.start(chunk), length)) {
      ByteBuffer data = ByteBuffer.wrap(buffer, at, piece.length());
      disk.write(files.get(piece.part()), piece.position(), data);
      at += piece.length();
    }
    verified.set(chunk);
    done += length;
  }

  /** The first missing chunk from there on; the number of chunks if none is missing. */
  int nextMissing(int from) {
    return Math.min(verified.nextClearBit(from), chunkHashes().count());
  }

  /** The end of the run of missing chunks that begins here. */
  int missingUntil(int from) {
    int next = verified.nextSetBit(from);
    return next < 0 ? chunkHashes().count() : next;
  }

  boolean isComplete() {
    return chunks != null && nextMissing(0) == chunkHashes().count();
  }

  /** Bytes that are here and verified. Any thread. */
  long verifiedBytes() {
    return done;
  }

  /** Throws if the disk has no room for the rest. */
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
                  "free some space, or use another cache"));
    }
  }

  /** Whether the whole model has the wanted hash. */
  boolean hasWantedHash() throws IOException {
    MessageDigest digest = Sha256Hash.digest();
    try (ConcatenatedFiles here = parts()) {
      for (int chunk = 0; chunk < chunkHashes().count(); chunk++) {
        checkStop();
        here.read(ChunkHashes.start(chunk), buffer, chunkHashes().length(chunk));
        digest.update(buffer, 0, chunkHashes().length(chunk));
      }
    }
    return HexFormat.of().formatHex(digest.digest()).equals(wanted.sha256());
  }

  /**
   * All chunks are here, but the model has a wrong hash. If the disk returned other bytes than were
   * written, those chunks are missing again; otherwise the chunk hashes were wrong and are dropped.
   *
   * @return whether the chunk hashes were wrong
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
    return new ConcatenatedFiles(directory.files(chunkHashes()), chunkHashes().parts());
  }

  /** Moves the whole model into the cache in one step, and removes the directory. */
  List<Path> moveIntoCache() throws IOException {
    return directory.moveIntoCache(chunkHashes());
  }
}
