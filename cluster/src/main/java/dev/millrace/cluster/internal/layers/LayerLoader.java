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
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.SegmentWeights;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.tensor.ComputePool;
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
 * Finds model files by their hash, fetches them from peers where they are not here, and loads
 * layers of them, one after another, on a thread of its own.
 */
public final class LayerLoader implements LayerSource, AutoCloseable {
  private static final long LOOKS = TimeUnit.MILLISECONDS.toMillis(500);

  private record Stamp(Path file, long size, FileTime time, @Nullable Object key) {}

  private final ModelStore store;
  private final PeerCalls lines;
  private final Function<String, List<ModelSource>> peers;
  private final KernelType kernels;
  private final ComputePool crew;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("millrace-node-loader").factory());
  private volatile @Nullable ModelFetch fetch;
  private volatile boolean closed;

  /**
   * @param peers that say they have the model of a hash
   * @param crew that will compute
   */
  public LayerLoader(
      ModelStore store,
      PeerCalls lines,
      Function<String, List<ModelSource>> peers,
      KernelType kernels,
      ComputePool crew) {
    this.store = store;
    this.lines = lines;
    this.peers = peers;
    this.kernels = kernels;
    this.crew = crew;
  }

  @Override
  public void fetch(LayerEntry held, Listener report) {
    try {
      thread.execute(() -> bring(held, report));
    } catch (RejectedExecutionException e) {
      report.failed("this node stops");
    }
  }

  private void bring(LayerEntry held, Listener report) {
    try {
      Path file = held.file == null ? find(held, report) : held.file;
      report.loading();
      if (held.configured) {
        hashed(held, file, report);
      } else {
        report.loaded(held.sha256, load(held, file));
      }
    } catch (Throwable e) {
      report.failed(PipeProcessor.reason(e));
    }
  }

  /** The file is hashed while it is loaded: what it is called says nothing. */
  private void hashed(LayerEntry held, Path file, Listener report) {
    List<Stamp> before = stamps(file);
    CompletableFuture<String> hash = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("millrace-node-hash")
        .start(
            () -> {
              try {
                hash.complete(store.sha256(file));
              } catch (Throwable e) {
                hash.completeExceptionally(e);
              }
            });
    LoadedLayers weights = load(held, file);
    try {
      String sha256 = hash.join();
      if (!before.equals(stamps(file))) {
        throw new EngineException(file + ": the file changed while it was loaded; start again");
      }
      report.loaded(sha256, weights);
    } catch (RuntimeException e) {
      weights.close();
      throw e instanceof CompletionException && e.getCause() instanceof RuntimeException cause
          ? cause
          : e;
    }
  }

  private LoadedLayers load(LayerEntry held, Path file) {
    try (Gguf gguf = Gguf.open(file)) {
      ModelConfig config = ModelConfig.of(gguf);
      int from = held.range.from();
      int to = held.range.to();
      long bytes = SegmentWeights.fileBytes(gguf, from, to);
      if (to <= config.layers() && bytes > held.reserved) {
        throw new ClusterException(
            "%s: %s in the file, but %s by the origin, which has another model"
                .formatted(
                    LayerText.describe(held.range),
                    LayerMemoryBudget.humanBytes(bytes),
                    LayerMemoryBudget.humanBytes(held.reserved)));
      }
      return new EngineLoadedLayers(SegmentWeights.load(gguf, config, from, to, kernels, crew));
    }
  }

  private Path find(LayerEntry held, Listener report) throws InterruptedException {
    Optional<Path> here = store.find(held.sha256);
    while (here.isEmpty() && !store.hashingProgress().isEmpty() && !closed) {
      look(); // one of those that are being hashed may be it
      here = store.find(held.sha256);
    }
    if (here.isPresent()) {
      return here.get();
    }
    ModelFetch.WantedModel wanted =
        new ModelFetch.WantedModel(held.sha256, held.model, held.fileBytes);
    ModelFetch from =
        ModelFetch.of(store, wanted, lines, () -> peers.apply(held.sha256), report::fetching);
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

  private synchronized void look() throws InterruptedException {
    wait(LOOKS);
  }

  /** There may be another model in the store. */
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

  /** Stops fetching; what is being loaded is freed when it is done. */
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
