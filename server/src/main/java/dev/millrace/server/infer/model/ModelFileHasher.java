package dev.millrace.server.infer.model;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.internal.gguf.Gguf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Computes the SHA-256 of model files: the same as {@code sha256sum}, with the parts of a model
 * taken as one file. A file is read again only if its size, time or identity has changed.
 * Thread-safe.
 */
public final class ModelFileHasher {
  private static final int CHUNK = 1 << 20;

  /** Changes when the file does. */
  record FileStamp(Path file, long size, FileTime time, @Nullable Object key) {}

  /** A loaded object, and the hash of its files. */
  record Hashed<T>(T loaded, String sha256) {}

  private final Map<List<FileStamp>, String> known = new ConcurrentHashMap<>();

  ModelFileHasher() {}

  /** The hash of a model, given any of its parts; a file that is not a model is hashed as it is. */
  public static String of(Path file) throws IOException {
    return read(parts(file), () -> false);
  }

  private static List<Path> parts(Path file) {
    try (Gguf gguf = Gguf.open(file)) {
      return List.copyOf(gguf.files());
    } catch (GgufException e) {
      return List.of(file);
    }
  }

  /**
   * Loads files while another thread computes their hash.
   *
   * @throws EngineException if the files cannot be read, or changed meanwhile
   */
  <T extends AutoCloseable> Hashed<T> hashWhile(List<Path> files, Supplier<T> loading) {
    List<FileStamp> before = stamps(files);
    CompletableFuture<String> hash = new CompletableFuture<>();
    MonitoredThreads.work().name("millrace-hash").start(() -> complete(hash, before));
    T loaded;
    try {
      loaded = loading.get();
    } catch (Throwable e) {
      hash.cancel(false);
      throw e;
    }
    try {
      String sha256 = hash.join();
      if (!before.equals(stamps(files))) {
        throw new EngineException(
            files.getFirst() + ": the file changed while it was being loaded; try again");
      }
      known.put(before, sha256);
      return new Hashed<>(loaded, sha256);
    } catch (RuntimeException e) {
      closeAfter(e, loaded);
      throw e instanceof CompletionException && e.getCause() instanceof EngineException cause
          ? cause
          : e;
    }
  }

  private static void closeAfter(RuntimeException problem, AutoCloseable loaded) {
    try {
      loaded.close();
    } catch (Exception e) {
      problem.addSuppressed(e);
    }
  }

  private void complete(CompletableFuture<String> hash, List<FileStamp> stamps) {
    try {
      String before = known.get(stamps);
      hash.complete(
          before == null
              ? read(stamps.stream().map(FileStamp::file).toList(), hash::isDone)
              : before);
    } catch (IOException e) {
      hash.completeExceptionally(new EngineException(stamps.getFirst().file + ": " + e, e));
    } catch (Throwable e) {
      hash.completeExceptionally(e);
    }
  }

  /**
   * @param stop checked now and then
   */
  private static String read(List<Path> files, BooleanSupplier stop) throws IOException {
    MessageDigest digest = Sha256.digest();
    ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
    for (Path file : files) {
      try (FileChannel channel = FileChannel.open(file)) {
        while (!stop.getAsBoolean() && channel.read(buffer.clear()) >= 0) {
          digest.update(buffer.flip());
        }
      }
    }
    return Sha256.hex(digest.digest());
  }

  static List<FileStamp> stamps(List<Path> files) {
    List<FileStamp> stamps = new ArrayList<>();
    for (Path file : files) {
      try {
        BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
        stamps.add(new FileStamp(file, found.size(), found.lastModifiedTime(), found.fileKey()));
      } catch (IOException e) {
        throw new EngineException(file + ": " + e, e);
      }
    }
    return stamps;
  }
}
