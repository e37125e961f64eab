package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.text.FileErrors;
import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.ModelFileFinder;
import dev.millrace.engine.internal.thread.EngineThreads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The model files of this node by their hash: that of {@code sha256sum}, over all parts of a split
 * model. Hashes are kept in the cache; a file is read again only if its size, time or identity has
 * changed. Thread-safe.
 */
public final class ModelStore implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final Path cache;
  private final HashCache index;
  private final Runnable changed;
  private final Map<List<Path>, HashedModel> known = new ConcurrentHashMap<>();
  private final Map<List<Path>, CompletableFuture<HashedModel>> inProgress =
      new ConcurrentHashMap<>();
  private final LinkedBlockingQueue<Path> paths = new LinkedBlockingQueue<>();
  private final AtomicInteger pendingPaths = new AtomicInteger(); // with the one in progress
  private final Thread hasherThread;
  private volatile boolean closed;
  private volatile @Nullable ModelHasher current;

  private ModelStore(Path cache, HashCache index, Runnable changed) {
    this.cache = cache;
    this.index = index;
    this.changed = changed;
    this.hasherThread = EngineThreads.service("millrace-hashes").unstarted(this::hashPaths);
  }

  /**
   * Opens a store over files, directories and the cache. Unknown models are hashed in the
   * background. Partial models in the cache that nobody has continued for a week are removed.
   *
   * @param paths model files, or directories of them
   * @param cache directory for fetched models and hashes; created if missing
   * @param changed called by any thread when a hash appears or disappears
   */
  public static ModelStore open(List<Path> paths, Path cache, Runnable changed) {
    try {
      Path directory = Files.createDirectories(cache).toAbsolutePath().normalize();
      ModelStore store =
          new ModelStore(directory, new HashCache(directory.resolve("hashes")), changed);
      StaleDownloads.remove(directory, Instant.now());
      store.add(directory);
      paths.forEach(store::add);
      store.hasherThread.start();
      return store;
    } catch (IOException e) {
      throw new ClusterException(
          "%s: the model cache cannot be created: %s; name another directory"
              .formatted(cache, FileErrors.of(e)),
          e);
    }
  }

  /** The model with this hash (the first part of a split one), if it is known here. */
  public Optional<Path> find(String sha256) {
    return known(sha256).map(known -> known.files().getFirst());
  }

  /** As {@link #find}, after a look for models that another process put into the cache. */
  Optional<Path> findAfterRescan(String sha256) {
    for (Path file : files(cache)) {
      if (file.toString().contains(PartialModelDirectory.digits(sha256))) {
        hash(file);
      }
    }
    return find(sha256);
  }

  Optional<HashedModel> known(String sha256) {
    for (HashedModel one : known.values()) {
      if (one.sha256().equals(sha256)) {
        if (one.isUnchanged()) {
          return Optional.of(one);
        }
        forget(one);
      }
    }
    return Optional.empty();
  }

  /** Forgets a model whose files have changed, and hashes them again. */
  private void forget(HashedModel one) {
    if (known.remove(one.files(), one)) {
      LOG.log(Level.WARNING, one.files().getFirst() + ": the file has changed; reading it again");
      add(one.files().getFirst());
      changed.run();
    }
  }

  /** The hashes of all known models, sorted. */
  public List<String> hashes() {
    return known.values().stream().map(HashedModel::sha256).distinct().sorted().toList();
  }

  /** Adds a model (any part of it) or a directory, to be hashed in the background. */
  public void add(Path path) {
    pendingPaths.incrementAndGet();
    paths.add(path);
  }

  /**
   * The hash of a model, given any of its parts; waits until it is computed. From then on peers can
   * fetch the model.
   *
   * @throws ClusterException if it cannot be read or is not a model
   */
  public String sha256(Path file) {
    return hashOnce(parts(file)).sha256();
  }

  private static List<Path> parts(Path file) {
    try (Gguf gguf = Gguf.open(file.toAbsolutePath().normalize())) {
      return List.copyOf(gguf.files());
    } catch (GgufException e) {
      throw new ClusterException(e.getMessage(), e);
    }
  }

  /** One thread reads the files; others wait for it. */
  private HashedModel hashOnce(List<Path> files) {
    HashedModel before = known.get(files);
    if (before != null && before.isUnchanged()) {
      return before;
    }
    CompletableFuture<HashedModel> mine = new CompletableFuture<>();
    CompletableFuture<HashedModel> other = inProgress.putIfAbsent(files, mine);
    if (other != null) {
      return join(other);
    }
    try {
      HashedModel read = index.find(files).orElseGet(() -> read(files));
      known.put(files, read);
      mine.complete(read);
    } catch (Throwable e) {
      mine.completeExceptionally(e);
      throw e;
    } finally {
      inProgress.remove(files);
    }
    changed.run();
    return join(mine);
  }

  private static HashedModel join(CompletableFuture<HashedModel> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw new ClusterException(String.valueOf(e.getCause().getMessage()), e);
    }
  }

  private HashedModel read(List<Path> files) {
    ModelHasher hashing = new ModelHasher(files, () -> closed);
    current = hashing;
    try {
      HashedModel read = hashing.run();
      save(read);
      return read;
    } finally {
      current = null;
    }
  }

  private void save(HashedModel read) {
    try {
      index.save(read);
    } catch (IOException e) {
      // The hash is known for now; the next start reads the model again.
      LOG.log(Level.WARNING, cache + ": a hash cannot be saved: " + FileErrors.of(e));
    }
  }

  /** Adds a fetched model, whose bytes were hashed on arrival. */
  void addFetched(List<Path> files, String sha256, ChunkHashes chunks) throws IOException {
    HashedModel fetched = new HashedModel(sha256, HashedModel.stamps(files), chunks);
    save(fetched);
    known.put(files, fetched);
    changed.run();
  }

  Path cache() {
    return cache;
  }

  /** What is being hashed, with a percentage; empty if nothing is. */
  public String hashingProgress() {
    ModelHasher hashing = current;
    if (hashing == null) {
      return pendingPaths.get() > 0 ? "looking for models" : "";
    }
    long all = 0;
    for (Path file : hashing.files()) {
      all += file.toFile().length();
    }
    Path name = hashing.files().getFirst().getFileName();
    return "hashing %s: %d %%".formatted(name, 100 * hashing.hashedBytes() / Math.max(1, all));
  }

  private void hashPaths() {
    try {
      while (!closed) {
        hashFiles(paths.take());
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private void hashFiles(Path path) {
    try {
      files(path).forEach(this::hash);
    } catch (RuntimeException | Error e) { // the thread goes on with the other paths
      LOG.log(Level.WARNING, "models in " + path + " are not offered to peers: " + e);
    } finally {
      pendingPaths.decrementAndGet();
    }
  }

  private static List<Path> files(Path path) {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    ModelFileFinder.Found found = ModelFileFinder.find(path);
    found.problems().forEach(problem -> LOG.log(Level.WARNING, problem));
    List<Path> files = new ArrayList<>();
    found.models().forEach(model -> files.add(model.file()));
    return files;
  }

  private void hash(Path file) {
    try {
      if (!closed) {
        sha256(file);
      }
    } catch (RuntimeException | Error e) { // the thread goes on with the other files
      if (!closed) {
        LOG.log(
            Level.WARNING,
            "not offered to peers: " + (e instanceof Error ? file + ": " + e : e.getMessage()));
      }
    }
  }

  /** Stops hashing. */
  @Override
  public void close() {
    closed = true;
    hasherThread.interrupt();
    try {
      hasherThread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
