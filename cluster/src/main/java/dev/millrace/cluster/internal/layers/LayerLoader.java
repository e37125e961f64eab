package dev.millrace.cluster.internal.layers;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.text.FileErrors;
import dev.millrace.cluster.internal.transfer.ModelFetch;
import dev.millrace.cluster.internal.transfer.ModelSource;
import dev.millrace.cluster.internal.transfer.ModelStore;
import dev.millrace.cluster.internal.transfer.PeerCalls;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.config.WeightFormats;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.SegmentWeights;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.thread.EngineThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds model files by their hash, fetches missing ones from peers, and loads layers, one request
 * after another, on a thread of its own.
 */
public final class LayerLoader implements AsyncLayerLoader, AutoCloseable {
  private static final long STORE_CHECK_MILLIS = TimeUnit.MILLISECONDS.toMillis(500);

  private record Stamp(Path file, long size, FileTime time, @Nullable Object key) {}

  private final ModelStore store;
  private final PeerCalls calls;
  private final Function<String, List<ModelSource>> peers;
  private final KernelType kernels;
  private final ComputePool pool;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          EngineThreads.work().name("millrace-node-loader").factory());
  private volatile @Nullable ModelFetch fetch;
  private volatile boolean closed;

  /**
   * @param peers returns the peers that have the model of a hash
   * @param pool that computes the layers
   */
  public LayerLoader(
      ModelStore store,
      PeerCalls calls,
      Function<String, List<ModelSource>> peers,
      KernelType kernels,
      ComputePool pool) {
    this.store = store;
    this.calls = calls;
    this.peers = peers;
    this.kernels = kernels;
    this.pool = pool;
  }

  @Override
  public void fetch(LayerEntry entry, Listener listener) {
    try {
      thread.execute(() -> fetchAndLoad(entry, listener));
    } catch (RejectedExecutionException e) {
      listener.failed("this node stops");
    }
  }

  private void fetchAndLoad(LayerEntry entry, Listener listener) {
    try {
      Path file = entry.file == null ? find(entry, listener) : entry.file;
      listener.loading();
      if (entry.configured) {
        loadAndHash(entry, file, listener);
      } else {
        listener.loaded(entry.sha256, load(entry, file));
      }
    } catch (Throwable e) {
      listener.failed(PipeProcessor.reason(e));
    }
  }

  /** The file is hashed while it is loaded, because its name proves nothing. */
  private void loadAndHash(LayerEntry entry, Path file, Listener listener) {
    List<Stamp> before = stamps(file);
    CompletableFuture<String> hash = new CompletableFuture<>();
    EngineThreads.work()
        .name("millrace-node-hash")
        .start(
            () -> {
              try {
                hash.complete(store.sha256(file));
              } catch (Throwable e) {
                hash.completeExceptionally(e);
              }
            });
    LoadedLayers weights = load(entry, file);
    try {
      String sha256 = hash.join();
      if (!before.equals(stamps(file))) {
        throw new EngineException(file + ": the file changed while it was loaded; start again");
      }
      listener.loaded(sha256, weights);
    } catch (RuntimeException e) {
      weights.close();
      throw e instanceof CompletionException && e.getCause() instanceof RuntimeException cause
          ? cause
          : e;
    }
  }

  private LoadedLayers load(LayerEntry entry, Path file) {
    try (Gguf gguf = Gguf.open(file)) {
      ModelConfig config = ModelConfig.of(gguf);
      int from = entry.range.from();
      int to = entry.range.to();
      long bytes = SegmentWeights.fileBytes(gguf, from, to);
      if (to <= config.layers() && bytes > entry.reserved) {
        throw new ClusterException(
            "%s: %s in the file, but %s according to the origin, which has another model"
                .formatted(
                    entry.range.describe(),
                    LayerMemoryBudget.humanBytes(bytes),
                    LayerMemoryBudget.humanBytes(entry.reserved)));
      }
      return new EngineLoadedLayers(
          SegmentWeights.load(gguf, config, from, to, kernels, pool),
          WeightFormats.ofLayers(gguf, from, to));
    }
  }

  private Path find(LayerEntry entry, Listener listener) throws InterruptedException {
    Optional<Path> here = store.find(entry.sha256);
    while (here.isEmpty() && !store.hashingProgress().isEmpty() && !closed) {
      awaitStoreChange(); // a file that is being hashed may be the one
      here = store.find(entry.sha256);
    }
    if (here.isPresent()) {
      return here.get();
    }
    ModelFetch.WantedModel wanted =
        new ModelFetch.WantedModel(entry.sha256, entry.model, entry.fileBytes);
    ModelFetch from =
        ModelFetch.of(
            store,
            wanted,
            new ModelFetch.Sources(calls, () -> peers.apply(entry.sha256)),
            listener::fetching);
    fetch = from;
    try {
      if (closed) {
        throw new ClusterException("this node stops");
      }
      return from.run();
    } finally {
      fetch = null;
    }
  }

  private synchronized void awaitStoreChange() throws InterruptedException {
    wait(STORE_CHECK_MILLIS);
  }

  /** The store may have another model now. */
  public synchronized void storeChanged() {
    notifyAll();
  }

  private static List<Stamp> stamps(Path file) {
    List<Path> files;
    try (Gguf gguf = Gguf.open(file)) {
      files = gguf.files();
    } catch (GgufException e) {
      files = List.of(file);
    }
    List<Stamp> stamps = new ArrayList<>();
    try {
      for (Path part : files) {
        BasicFileAttributes found = Files.readAttributes(part, BasicFileAttributes.class);
        stamps.add(new Stamp(part, found.size(), found.lastModifiedTime(), found.fileKey()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read: " + FileErrors.of(e), e);
    }
    return stamps;
  }

  /** Stops fetching; layers that are being loaded are freed when they are done. */
  @Override
  public void close() {
    closed = true;
    ModelFetch under = fetch;
    if (under != null) {
      under.stop();
    }
    storeChanged();
    thread.shutdown();
  }
}
