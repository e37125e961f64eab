package dev.millrace.cluster.internal.layers;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.internal.protocol.LoadLayersRequest;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The layers that this node has. What its owner named stays; what origins asked for goes when
 * nobody has used it for a while, or when its memory is needed. Belongs to the thread that
 * computes.
 */
public final class LayerInventory implements AutoCloseable {
  /** Unused layers that an origin asked for go after this. */
  public static final long KEPT = TimeUnit.MINUTES.toNanos(15);

  /** What failed is not tried again before this. */
  public static final long RESTS = TimeUnit.SECONDS.toNanos(30);

  /** So many parts of models may be here or come. */
  public static final int MOST_PARTS = 64;

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final LayerMemoryBudget budget;
  private final LayerSource supply;
  private final ComputeQueue inbox;
  private final LongSupplier clock;
  private final List<LayerEntry> all = new ArrayList<>();
  private int version;
  private boolean closed;

  /**
   * @param inbox by which the supply's reports come back to this thread
   * @param clock nanoseconds
   */
  public LayerInventory(
      LayerMemoryBudget budget, LayerSource supply, ComputeQueue inbox, LongSupplier clock) {
    this.budget = budget;
    this.supply = supply;
    this.inbox = inbox;
    this.clock = clock;
  }

  /** Another number after every change of what others are told of it. */
  public int version() {
    return version;
  }

  public List<HeldLayers> describe() {
    return all.stream().map(LayerEntry::describe).toList();
  }

  /** Begins to get layers. */
  public void load(LayerEntry held) {
    held.idleSince = clock.getAsLong();
    budget.reserve(held.bytes);
    all.add(held);
    version++;
    supply.fetch(held, new SourceListener(held));
  }

  /**
   * An origin wants these layers here.
   *
   * @throws ClusterException where they cannot be had, with the reason
   */
  public void request(LoadLayersRequest wish) {
    LayerRange range = new LayerRange(wish.from(), wish.to());
    if (budget.allowed() == 0) {
      throw new ClusterException(
          "this node takes no layers but those that it was started with;"
              + " start it with --memory for others");
    }
    if (isHere(wish, range)) {
      return;
    }
    clearName(wish.sha256(), wish.model());
    if (all.size() >= MOST_PARTS) {
      dropFailed();
    }
    String what = "%s of model %s".formatted(LayerText.describe(range), wish.model());
    makeRoom(wish.bytes(), List.of());
    String needs = what + LayerText.verb(range, " needs", " need");
    String refusal = budget.refusal(needs, wish.bytes());
    if (refusal != null) {
      throw new ClusterException(refusal + "; start it with a larger --memory");
    }
    LOG.log(Level.INFO, "{0} {1} asked for", what, LayerText.are(range));
    load(LayerEntry.requested(wish.sha256(), wish.model(), range, wish.fileBytes(), wish.bytes()));
  }

  /** Makes place in the list, which all others are told. */
  private void dropFailed() {
    LayerEntry failed =
        all.stream()
            .filter(held -> held.isIdle() && held.state == HeldLayers.State.FAILED)
            .findFirst()
            .orElseThrow(
                () ->
                    new ClusterException(
                        "this node has %d parts of models, and takes no more"
                            .formatted(all.size())));
    drop(failed);
  }

  /** Whether they are here or come, or failed a moment ago; what failed before that is dropped. */
  private boolean isHere(LoadLayersRequest wish, LayerRange range) {
    for (LayerEntry held : List.copyOf(all)) {
      boolean same = held.sha256.equals(wish.sha256());
      if (same && held.range.from() <= range.from() && held.range.to() >= range.to()) {
        boolean rests = clock.getAsLong() - held.idleSince < RESTS;
        if (held.state != HeldLayers.State.FAILED || held.configured || rests) {
          return true;
        }
        drop(held);
      }
    }
    return false;
  }

  /** Another model of that name goes if nobody needs it; else there would be two of one name. */
  private void clearName(String sha256, String model) {
    for (LayerEntry held : List.copyOf(all)) {
      if (held.isNamesake(sha256, model)) {
        if (!held.isIdle()) {
          throw new ClusterException(held.otherFileMessage(sha256));
        }
        drop(held);
      }
    }
  }

  /**
   * Drops what is idle, the longest first, until so many bytes are free; nothing where that would
   * not do.
   */
  public void makeRoom(long bytes, Collection<LayerEntry> except) {
    List<LayerEntry> idle =
        all.stream()
            .filter(held -> held.isIdle() && !except.contains(held))
            .sorted(
                (one, other) ->
                    Long.signum(one.idleSince - other.idleSince)) // nanoseconds may wrap
            .toList();
    long most = idle.stream().mapToLong(held -> held.bytes).sum();
    for (LayerEntry held : idle) {
      if (budget.fits(bytes) || !budget.fits(bytes - most)) {
        return;
      }
      most -= held.bytes;
      drop(held);
    }
  }

  /** Drops what nobody has used for long. */
  public void dropUnused() {
    for (LayerEntry held : List.copyOf(all)) {
      if (held.isIdle() && clock.getAsLong() - held.idleSince >= KEPT) {
        drop(held);
      }
    }
  }

  private void drop(LayerEntry held) {
    all.remove(held);
    budget.release(held.bytes);
    if (held.weights != null) {
      held.weights.close();
      LOG.log(Level.INFO, "freed: {0} of model {1}", LayerText.describe(held.range), held.model);
    }
    version++;
  }

  /**
   * Loaded layers that make up [from, to), in order.
   *
   * @throws ClusterException where some are not here, or not yet
   */
  public List<LayerCoverage.Piece> cover(String sha256, String model, int from, int to) {
    return new LayerCoverage(all, sha256, model).of(from, to);
  }

  /** Frees all weights, and what still comes; no session may be open. */
  @Override
  public void close() {
    closed = true;
    List.copyOf(all).forEach(this::drop);
  }

  private void loaded(LayerEntry held, String sha256, LoadedLayers weights) {
    if (closed || !all.contains(held)) {
      weights.close();
      return;
    }
    budget.reserve(weights.bytes() - held.bytes);
    held.bytes = weights.bytes();
    held.sha256 = sha256;
    held.weights = weights;
    held.speed.measure(weights, clock);
    held.state = HeldLayers.State.LOADED;
    held.idleSince = clock.getAsLong();
    version++;
    LOG.log(
        Level.INFO,
        "loaded: {0} of model {1}, {2}, {3}/s for one row{4}, hash {5}",
        LayerText.describe(held.range),
        held.model,
        LayerMemoryBudget.humanBytes(held.bytes),
        LayerMemoryBudget.humanBytes((long) held.speed.bytesPerSecond()),
        held.speed.isSteady() ? "" : " (not steady yet)",
        LayerEntry.shortHash(sha256));
  }

  private void failed(LayerEntry held, String problem) {
    if (all.contains(held)) {
      budget.release(held.bytes);
      held.bytes = 0;
      held.problem = problem;
      held.state = HeldLayers.State.FAILED;
      held.idleSince = clock.getAsLong();
      version++;
    }
    LOG.log(
        Level.WARNING,
        "{0} of model {1} could not be loaded: {2}",
        LayerText.describe(held.range),
        held.model,
        problem);
  }

  /** Brings the supply's reports to this thread. */
  private final class SourceListener implements LayerSource.Listener {
    private final LayerEntry held;

    SourceListener(LayerEntry held) {
      this.held = held;
    }

    @Override
    public void fetching(String progress) {
      inbox.addTask(
          () -> {
            held.problem = progress;
            version++;
          });
    }

    @Override
    public void loading() {
      inbox.addTask(
          () -> {
            held.state = HeldLayers.State.LOADING;
            held.problem = "";
            version++;
          });
    }

    @Override
    public void loaded(String sha256, LoadedLayers weights) {
      if (!inbox.addTask(() -> LayerInventory.this.loaded(held, sha256, weights))) {
        weights.close();
      }
    }

    @Override
    public void failed(String problem) {
      inbox.addTask(() -> LayerInventory.this.failed(held, problem));
    }
  }
}
