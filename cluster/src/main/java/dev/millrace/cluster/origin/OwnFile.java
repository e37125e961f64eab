package dev.millrace.cluster.origin;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.transfer.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The origin's model file by its hash, which it gives to nodes that have not got it. */
final class OwnFile implements AutoCloseable {
  private final ModelStore store;
  private final String sha256;
  private final @Nullable Path temporary;

  private OwnFile(ModelStore store, String sha256, @Nullable Path temporary) {
    this.store = store;
    this.sha256 = sha256;
    this.temporary = temporary;
  }

  /** Waits until the file's hash is known: that reads it once, where it is not remembered. */
  static OwnFile open(OriginSettings settings) {
    Path cache = settings.cache();
    Path temporary = cache == null ? temporary() : null;
    ModelStore store =
        ModelStore.open(
            List.of(settings.file()), cache == null ? nonNull(temporary) : cache, () -> {});
    try {
      return new OwnFile(store, store.sha256(settings.file()), temporary);
    } catch (Throwable e) {
      store.close();
      delete(temporary);
      throw e;
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
      throw new ClusterException("no temporary directory can be made: " + e.getMessage(), e);
    }
  }

  ModelStore store() {
    return store;
  }

  String sha256() {
    return sha256;
  }

  @Override
  public void close() {
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
          .log(System.Logger.Level.DEBUG, "{0} stays: {1}", directory, e.getMessage());
    }
  }
}
