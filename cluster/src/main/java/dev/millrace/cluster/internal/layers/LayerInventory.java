package dev.millrace.cluster.internal.layers;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.internal.protocol.LoadLayersRequest;
import dev.millrace.cluster.internal.text.DisplayText;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The layers that this node holds. Configured layers stay; requested layers are dropped when they
 * are unused for a while or their memory is needed. Owned by the compute thread.
 */
public final class LayerInventory implements AutoCloseable {
  /** Requested layers are dropped when they are unused for this long. */
  public static final long UNUSED_NANOS = TimeUnit.MINUTES.toNanos(15);

  /** Pause before failed layers are loaded again. */
  public static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Most entries at a time. */
  public static final int MAX_ENTRIES = 64;

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final LayerMemoryBudget budget;
  private final AsyncLayerLoader loader;
  private final ComputeQueue queue;
  private final LongSupplier clock;
  private final List<LayerEntry> all = new ArrayList<>();
  private int version;
  private boolean closed;

  /**
   * @param queue by which the loader's reports reach the compute thread
   * @param clock nanoseconds
   */
  public LayerInventory(
      LayerMemoryBudget budget, AsyncLayerLoader loader, ComputeQueue queue, LongSupplier clock) {
    this.budget = budget;
    this.loader = loader;
    this.queue = queue;
    this.clock = clock;
  }

  /** Changes whenever {@link #describe} changes. */
  public int version() {
    return version;
  }

  public List<HeldLayers> describe() {
    return all.stream().map(LayerEntry::describe).toList();
  }

  /** Starts loading layers. */
  public void load(LayerEntry entry) {
    entry.idleSince = clock.getAsLong();
    budget.reserve(entry.bytes);
    all.add(entry);
    version++;
    loader.fetch(entry, new LoaderListener(entry));
  }

  /**
   * Loads layers that an origin requests.
   *
   * @throws ClusterException if they cannot be loaded, with the reason
   */
  public void request(LoadLayersRequest wanted) {
    LayerRange range = new LayerRange(wanted.from(), wanted.to());
    if (budget.offered() == 0) {
      throw new ClusterException(
          "this node accepts no requests for layers;" + " start it with --memory to accept them");
    }
    if (isHere(wanted, range)) {
      return;
    }
    clearName(wanted.sha256(), wanted.model());
    if (all.size() >= MAX_ENTRIES) {
      dropFailed();
    }
    String what = "%s of model %s".formatted(range.describe(), wanted.model());
    makeRoom(wanted.bytes(), List.of());
    String needs = what + range.choose(" needs", " need");
    String refusal = budget.refusal(needs, wanted.bytes());
    if (refusal != null) {
      throw new ClusterException(refusal + "; start it with a larger --memory");
    }
    LOG.log(Level.INFO, "{0} {1} requested", what, range.choose("is", "are"));
    load(
        LayerEntry.requested(
            wanted.sha256(), wanted.model(), range, wanted.fileBytes(), wanted.bytes()));
  }

  /** Drops a failed entry to make room in the list. */
  private void dropFailed() {
    LayerEntry failed =
        all.stream()
            .filter(entry -> entry.isIdle() && entry.state == HeldLayers.State.FAILED)
            .findFirst()
            .orElseThrow(
                () ->
                    new ClusterException(
                        "this node holds parts of %d models, which is the limit"
                            .formatted(all.size())));
    drop(failed);
  }

  /** Whether they are here, loading, or failed a moment ago; older failures are dropped. */
  private boolean isHere(LoadLayersRequest request, LayerRange range) {
    for (LayerEntry entry : List.copyOf(all)) {
      boolean same = entry.sha256.equals(request.sha256());
      if (same && entry.range.from() <= range.from() && entry.range.to() >= range.to()) {
        boolean failedRecently = clock.getAsLong() - entry.idleSince < RETRY_NANOS;
        if (entry.state != HeldLayers.State.FAILED || entry.configured || failedRecently) {
          return true;
        }
        drop(entry);
      }
    }
    return false;
  }

  /** Drops another model of the same name if it is idle, so that a name is unique. */
  private void clearName(String sha256, String model) {
    for (LayerEntry entry : List.copyOf(all)) {
      if (entry.isNamesake(sha256, model)) {
        if (!entry.isIdle()) {
          throw new ClusterException(entry.otherFileMessage(sha256));
        }
        drop(entry);
      }
    }
  }

  /**
   * Drops idle layers, the longest idle first, until so many bytes are free; drops nothing if that
   * is not enough.
   */
  public void makeRoom(long bytes, Collection<LayerEntry> except) {
    List<LayerEntry> idle =
        all.stream()
            .filter(entry -> entry.isIdle() && !except.contains(entry))
            .sorted(
                (one, other) ->
                    Long.signum(one.idleSince - other.idleSince)) // nanoseconds may wrap
            .toList();
    long most = idle.stream().mapToLong(entry -> entry.bytes).sum();
    for (LayerEntry entry : idle) {
      if (budget.fits(bytes) || !budget.fits(bytes - most)) {
        return;
      }
      most -= entry.bytes;
      drop(entry);
    }
  }

  /** Drops layers that are unused for long. */
  public void dropUnused() {
    for (LayerEntry entry : List.copyOf(all)) {
      if (entry.isIdle() && clock.getAsLong() - entry.idleSince >= UNUSED_NANOS) {
        drop(entry);
      }
    }
  }

  private void drop(LayerEntry entry) {
    all.remove(entry);
    budget.release(entry.bytes);
    if (entry.weights != null) {
      entry.weights.close();
      LOG.log(Level.INFO, "freed: {0} of model {1}", entry.range.describe(), entry.model);
    }
    version++;
  }

  /**
   * Loaded layers that make up [from, to), in order.
   *
   * @throws ClusterException if a layer is not on this node, or still loading
   */
  public List<LayerLookup.Piece> cover(String sha256, String model, int from, int to) {
    return new LayerLookup(all, sha256, model).of(from, to);
  }

  /** Frees all weights, also those still loading; no session may be open. */
  @Override
  public void close() {
    closed = true;
    List.copyOf(all).forEach(this::drop);
  }

  private void loaded(LayerEntry entry, String sha256, LoadedLayers weights) {
    if (closed || !all.contains(entry)) {
      weights.close();
      return;
    }
    budget.reserve(weights.bytes() - entry.bytes);
    entry.bytes = weights.bytes();
    entry.sha256 = sha256;
    entry.weights = weights;
    entry.speed.measure(weights, clock);
    entry.state = HeldLayers.State.LOADED;
    entry.idleSince = clock.getAsLong();
    version++;
    LOG.log(
        Level.INFO,
        "loaded: {0} of model {1}, {2}, {3}/s for one row{4}, hash {5}",
        entry.range.describe(),
        entry.model,
        LayerMemoryBudget.humanBytes(entry.bytes),
        LayerMemoryBudget.humanBytes((long) entry.speed.bytesPerSecond()),
        entry.speed.isSteady() ? "" : " (not steady yet)",
        DisplayText.shortHash(sha256));
  }

  private void failed(LayerEntry entry, String problem) {
    if (all.contains(entry)) {
      budget.release(entry.bytes);
      entry.bytes = 0;
      entry.problem = problem;
      entry.state = HeldLayers.State.FAILED;
      entry.idleSince = clock.getAsLong();
      version++;
    }
    LOG.log(
        Level.WARNING,
        "{0} of model {1} could not be loaded: {2}",
        entry.range.describe(),
        entry.model,
        problem);
  }

  /** Hands the loader's reports to the compute thread. */
  private final class LoaderListener implements AsyncLayerLoader.Listener {
    private final LayerEntry entry;

    LoaderListener(LayerEntry entry) {
      this.entry = entry;
    }

    @Override
    public void fetching(String progress) {
      queue.addTask(
          () -> {
            entry.problem = progress;
            version++;
          });
    }

    @Override
    public void loading() {
      queue.addTask(
          () -> {
            entry.state = HeldLayers.State.LOADING;
            entry.problem = "";
            version++;
          });
    }

    @Override
    public void loaded(String sha256, LoadedLayers weights) {
      if (!queue.addTask(() -> LayerInventory.this.loaded(entry, sha256, weights))) {
        weights.close();
      }
    }

    @Override
    public void failed(String problem) {
      queue.addTask(() -> LayerInventory.this.failed(entry, problem));
    }
  }
}
