package dev.millrace.cluster.internal.model;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.OriginSettings;
import dev.millrace.cluster.internal.transfer.ModelStore;
import dev.millrace.engine.internal.gguf.Gguf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The origin's model file and its hash; nodes fetch the file from here. It stays open, so replacing
 * it on disk changes nothing here.
 */
public final class OriginModelFile implements AutoCloseable {
  /** A file's attributes, which show a change. */
  private record Stamp(@Nullable Object key, long bytes, FileTime modified) {
    static Stamp of(Path file) throws IOException {
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(found.fileKey(), found.size(), found.lastModifiedTime());
    }
  }

  private final ModelStore store;
  private final String sha256;
  private final Gguf gguf;
  private final List<Stamp> stamps;
  private final @Nullable Path temporary;

  private OriginModelFile(
      ModelStore store, String sha256, Gguf gguf, List<Stamp> stamps, @Nullable Path temporary) {
    this.store = store;
    this.sha256 = sha256;
    this.gguf = gguf;
    this.stamps = stamps;
    this.temporary = temporary;
  }

  /**
   * Opens the file and waits for its hash, which reads the whole file unless the hash is cached.
   */
  public static OriginModelFile open(OriginSettings settings) {
    Path cache = settings.cache();
    Path temporary = cache == null ? temporary() : null;
    ModelStore store =
        ModelStore.open(
            List.of(settings.file()), cache == null ? nonNull(temporary) : cache, () -> {});
    Gguf gguf = null;
    try {
      gguf = Gguf.open(settings.file());
      List<Stamp> stamps = stamps(gguf);
      String sha256 = store.sha256(settings.file());
      if (!stamps.equals(stamps(gguf))) {
        throw new ClusterException(
            settings.file() + " changed while it was read; start again when it is complete");
      }
      return new OriginModelFile(store, sha256, gguf, stamps, temporary);
    } catch (Throwable e) {
      if (gguf != null) {
        gguf.close();
      }
      store.close();
      delete(temporary);
      throw e;
    }
  }

  private static List<Stamp> stamps(Gguf gguf) {
    try {
      List<Stamp> stamps = new ArrayList<>();
      for (Path part : gguf.files()) {
        stamps.add(Stamp.of(part));
      }
      return stamps;
    } catch (IOException e) {
      throw new ClusterException("%s cannot be read: %s".formatted(gguf.file(), e.getMessage()), e);
    }
  }

  private static Path nonNull(@Nullable Path path) {
    if (path == null) {
      throw new IllegalStateException("neither a cache nor a temporary directory");
    }
    return path;
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory("millrace-origin");
    } catch (IOException e) {
      throw new ClusterException("a temporary directory cannot be created: " + e.getMessage(), e);
    }
  }

  public ModelStore store() {
    return store;
  }

  String sha256() {
    return sha256;
  }

  /** The file as it was hashed, as long as it {@link #isUnchanged}. */
  public Gguf gguf() {
    return gguf;
  }

  /**
   * Whether nobody wrote into the file. A new file of the same name does not matter: the open one
   * stays as it was.
   */
  public boolean isUnchanged() {
    for (int i = 0; i < stamps.size(); i++) {
      Stamp was = stamps.get(i);
      try {
        Stamp is = Stamp.of(gguf.files().get(i));
        boolean replaced = was.key() != null && !was.key().equals(is.key());
        if (!replaced && !is.equals(was)) {
          return false;
        }
      } catch (NoSuchFileException e) {
        // it was deleted, but is still open here
      } catch (IOException e) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    gguf.close();
    store.close();
    delete(temporary);
  }

  private static void delete(@Nullable Path directory) {
    if (directory == null) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      System.getLogger("dev.millrace.cluster")
          .log(
              System.Logger.Level.DEBUG,
              "{0} could not be deleted: {1}",
              directory,
              e.getMessage());
    }
  }
}
