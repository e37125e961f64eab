package dev.millrace.cluster.internal.transfer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code SHA256.part} in the cache: the files of a partial model, its chunk hashes as a peer sent
 * them, and a lock that one process at a time holds.
 */
final class PartialModelDirectory implements AutoCloseable {
  static final String ENDING = ".part";
  private static final int MAGIC = 0x4d52_4c44; // MRLD

  private final ModelFetch.WantedModel wanted;
  private final Path cache;
  private final Path directory;
  private final Path files; // hidden: it is not searched for models
  private final FileChannel lock;

  private PartialModelDirectory(Path cache, ModelFetch.WantedModel wanted) throws IOException {
    this.wanted = wanted;
    this.cache = cache;
    directory = cache.resolve(wanted.sha256() + ENDING);
    files = directory.resolve(".files");
    lock = openLock(Files.createDirectories(directory));
  }

  /** Null if another process holds it. */
  static @Nullable PartialModelDirectory open(Path cache, ModelFetch.WantedModel wanted)
      throws IOException {
    PartialModelDirectory opened;
    try {
      opened = new PartialModelDirectory(cache, wanted);
    } catch (NoSuchFileException | FileAlreadyExistsException e) {
      if (Files.isWritable(cache)
          && !Files.isRegularFile(cache.resolve(wanted.sha256() + ENDING))) {
        return null; // another process is removing it
      }
      throw e;
    }
    if (tryLock(opened.lock) && Files.exists(opened.lockFile())) {
      Files.createDirectories(opened.files);
      return opened;
    }
    opened.close();
    return null;
  }

  private Path lockFile() {
    return directory.resolve("lock");
  }

  static FileChannel openLock(Path directory) throws IOException {
    return FileChannel.open(
        directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /** Tries to take a lock, which is held until its channel is closed. */
  static boolean tryLock(FileChannel lock) throws IOException {
    try {
      FileLock got = lock.tryLock();
      return got != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private Path manifest() {
    return directory.resolve("chunks");
  }

  /** The saved chunk hashes; null if there are none, or none that can be read. */
  @Nullable ChunkHashes readManifest() throws IOException {
    try {
      byte[] chunkHashes = HashCache.verifyChecksum(Files.readAllBytes(manifest()), MAGIC);
      return ChunkHashes.read(
          new DataInputStream(new ByteArrayInputStream(chunkHashes)), wanted.bytes());
    } catch (NoSuchFileException | InvalidModelDataException | EOFException e) {
      return null;
    }
  }

  void writeManifest(ChunkHashes chunkHashes) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    chunkHashes.write(new DataOutputStream(bytes));
    HashCache.write(manifest(), HashCache.withChecksum(bytes.toByteArray(), MAGIC));
  }

  void deleteManifest() throws IOException {
    Files.deleteIfExists(manifest());
  }

  /** The paths of the model's files, whether they exist or not. */
  List<Path> files(ChunkHashes chunkHashes) {
    int count = chunkHashes.parts().size();
    String name = "model-" + digits(wanted.sha256());
    List<Path> parts = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      String file = count == 1 ? name + ".gguf" : "%s-%05d-of-%05d.gguf".formatted(name, i, count);
      parts.add(files.resolve(file));
    }
    return parts;
  }

  /** Deletes files that do not belong to these hashes, and truncates files that are too long. */
  void trim(ChunkHashes chunkHashes) throws IOException {
    List<Path> parts = files(chunkHashes);
    try (var all = Files.list(files)) {
      for (Path file : all.toList()) {
        int part = parts.indexOf(file);
        if (part < 0) {
          Files.delete(file);
        } else {
          try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(chunkHashes.parts().get(part));
          }
        }
      }
    }
  }

  /** Free bytes. */
  long usable(FetchDisk disk) throws IOException {
    return disk.usable(files);
  }

  /** Moves the whole model into the cache in one step, and removes the directory. */
  List<Path> moveIntoCache(ChunkHashes chunkHashes) throws IOException {
    List<Path> parts = files(chunkHashes);
    for (Path part : parts) {
      try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
    }
    boolean one = parts.size() == 1;
    Path target = target(one ? ".gguf" : "");
    Files.move(one ? parts.getFirst() : files, target, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel channel = FileChannel.open(cache)) {
      channel.force(true);
    }
    discard();
    return one
        ? List.of(target)
        : parts.stream().map(part -> target.resolve(part.getFileName())).toList();
  }

  /** Removes the directory, unless another process uses it. */
  void discard() {
    try {
      Files.deleteIfExists(files);
      Files.deleteIfExists(manifest());
      Files.deleteIfExists(lockFile());
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      // Another process holds it now; otherwise it is removed as stale later.
    }
  }

  /** The first of a hash, by which files in the cache differ. */
  static String digits(String sha256) {
    return sha256.substring(0, 8);
  }

  /** A name that people know it by, made of nothing that means something to a file system. */
  private Path target(String suffix) {
    String plain = wanted.model().replaceFirst("(-\\d{5}-of-\\d{5})?\\.gguf$", "");
    String name = plain.replaceAll("[^A-Za-z0-9._-]", "_").replaceFirst("^[.-]+", "");
    name = name.isEmpty() ? "model" : name.substring(0, Math.min(name.length(), 100));
    Path target = cache.resolve(name + "-" + digits(wanted.sha256()) + suffix);
    // What is there by that name is not this model, or it would have been found.
    return Files.exists(target) ? cache.resolve(name + "-" + wanted.sha256() + suffix) : target;
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
