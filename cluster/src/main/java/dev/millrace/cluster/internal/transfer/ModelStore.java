package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.text.FileErrors;
import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.ModelFileFinder;
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
 * The model files that this node has, known by their hash: of one file as {@code sha256sum} has it,
 * of parts as of one file. Hashes are kept in the cache, and a file is read again only if its size,
 * time or identity has changed. Thread-safe.
 */
public final class ModelStore implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final Path cache;
  private final HashCache index;
  private final Runnable changed;
  private final Map<List<Path>, HashedModel> known = new ConcurrentHashMap<>();
  private final Map<List<Path>, CompletableFuture<HashedModel>> underWay =
      new ConcurrentHashMap<>();
  private final LinkedBlockingQueue<Path> places = new LinkedBlockingQueue<>();
  private final AtomicInteger notLookedAt = new AtomicInteger(); // places, with the one at hand
  private final Thread hashes;
  private volatile boolean closed;
  private volatile @Nullable ModelHasher current;

  private ModelStore(Path cache, HashCache index, Runnable changed) {
    this.cache = cache;
    this.index = index;
    this.changed = changed;
    this.hashes = Thread.ofPlatform().daemon().name("millrace-hashes").unstarted(this::hashPlaces);
  }

  /**
   * Looks at files and directories, and at the cache; what is not known yet is hashed by a thread
   * in the background. What was begun there and not gone on with for a week is removed.
   *
   * @param places model files, or directories of them
   * @param cache where fetched models and hashes are kept; made where it is missing
   * @param changed told, on some thread, when there is another hash or one less
   */
  public static ModelStore open(List<Path> places, Path cache, Runnable changed) {
    try {
      Path directory = Files.createDirectories(cache).toAbsolutePath().normalize();
      ModelStore store =
          new ModelStore(directory, new HashCache(directory.resolve("hashes")), changed);
      StaleDownloads.remove(directory, Instant.now());
      store.add(directory);
      places.forEach(store::add);
      store.hashes.start();
      return store;
    } catch (IOException e) {
      throw new ClusterException(
          "%s: the cache of models cannot be made: %s; name another directory"
              .formatted(cache, FileErrors.of(e)),
          e);
    }
  }

  /** The model of that hash, of a split one the first part; empty where none is known here yet. */
  public Optional<Path> find(String sha256) {
    return known(sha256).map(known -> known.files().getFirst());
  }

  /** The same, with what another process may have put into the cache since this one looked. */
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

  /** Its files have changed: they may be a model all the same, but another one. */
  private void forget(HashedModel one) {
    if (known.remove(one.files(), one)) {
      LOG.log(Level.WARNING, one.files().getFirst() + ": the file has changed; it is read again");
      add(one.files().getFirst());
      changed.run();
    }
  }

  /** Of all models known by now, sorted. */
  public List<String> hashes() {
    return known.values().stream().map(HashedModel::sha256).distinct().sorted().toList();
  }

  /** Another model (any part of it) or directory: hashed in the background. */
  public void add(Path place) {
    notLookedAt.incrementAndGet();
    places.add(place);
  }

  /**
   * The hash of a model, given any part of it; waits until it is computed. From then on the model
   * is given to peers.
   *
   * @throws ClusterException where it cannot be read or is no model
   */
  public String sha256(Path file) {
    return learn(parts(file)).sha256();
  }

  private static List<Path> parts(Path file) {
    try (Gguf gguf = Gguf.open(file.toAbsolutePath().normalize())) {
      return List.copyOf(gguf.files());
    } catch (GgufException e) {
      throw new ClusterException(e.getMessage(), e);
    }
  }

  /** Only one thread reads the same files; others wait for it. */
  private HashedModel learn(List<Path> files) {
    HashedModel before = known.get(files);
    if (before != null && before.isUnchanged()) {
      return before;
    }
    CompletableFuture<HashedModel> mine = new CompletableFuture<>();
    CompletableFuture<HashedModel> other = underWay.putIfAbsent(files, mine);
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
      underWay.remove(files);
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
      // It is known all the same; the next start reads the model again.
      LOG.log(Level.WARNING, cache + ": a hash cannot be kept: " + FileErrors.of(e));
    }
  }

  /** A model that was fetched: every byte of it was hashed when it came. */
  void addFetched(List<Path> files, String sha256, ChunkHashes chunks) throws IOException {
    HashedModel fetched = new HashedModel(sha256, HashedModel.stamps(files), chunks);
    save(fetched);
    known.put(files, fetched);
    changed.run();
  }

  Path cache() {
    return cache;
  }

  /** What is being hashed, in words with a percentage; empty where nothing is. */
  public String hashingProgress() {
    ModelHasher hashing = current;
    if (hashing == null) {
      return notLookedAt.get() > 0 ? "looking for models" : "";
    }
    long all = 0;
    for (Path file : hashing.files()) {
      all += file.toFile().length();
    }
    Path name = hashing.files().getFirst().getFileName();
    return "hashing %s: %d %%".formatted(name, 100 * hashing.hashedBytes() / Math.max(1, all));
  }

  private void hashPlaces() {
    try {
      while (!closed) {
        for (Path file : files(places.take())) {
          hash(file);
        }
        notLookedAt.decrementAndGet();
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private static List<Path> files(Path place) {
    if (!Files.isDirectory(place)) {
      return List.of(place);
    }
    ModelFileFinder.Found found = ModelFileFinder.find(place);
    found.problems().forEach(trouble -> LOG.log(Level.WARNING, trouble));
    List<Path> files = new ArrayList<>();
    found.models().forEach(model -> files.add(model.file()));
    return files;
  }

  private void hash(Path file) {
    try {
      if (!closed) {
        sha256(file);
      }
    } catch (RuntimeException e) {
      if (!closed) {
        LOG.log(Level.WARNING, "not given to peers: " + e.getMessage());
      }
    }
  }

  /** Ends what is being hashed. */
  @Override
  public void close() {
    closed = true;
    hashes.interrupt();
    try {
      hashes.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
