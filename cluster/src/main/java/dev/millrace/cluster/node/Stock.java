package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Assignment;
import dev.millrace.cluster.member.Holding;
import dev.millrace.cluster.place.Range;
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
final class Stock implements AutoCloseable {
  /** Unused layers that an origin asked for go after this. */
  static final long KEPT = TimeUnit.MINUTES.toNanos(15);

  /** What failed is not tried again before this. */
  static final long RESTS = TimeUnit.SECONDS.toNanos(30);

  /** So many parts of models may be here or come. */
  static final int MOST_PARTS = 64;

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** Layers [from, to) of what is held. */
  record Piece(Held held, int from, int to) {}

  private final Budget budget;
  private final Supply supply;
  private final Inbox inbox;
  private final LongSupplier clock;
  private final List<Held> all = new ArrayList<>();
  private int version;
  private boolean closed;

  /**
   * @param inbox by which the supply's reports come back to this thread
   * @param clock nanoseconds
   */
  Stock(Budget budget, Supply supply, Inbox inbox, LongSupplier clock) {
    this.budget = budget;
    this.supply = supply;
    this.inbox = inbox;
    this.clock = clock;
  }

  /** Another number after every change of what others are told of it. */
  int version() {
    return version;
  }

  List<Holding> told() {
    return all.stream().map(Held::told).toList();
  }

  /** Begins to get layers. */
  void hold(Held held) {
    held.since = clock.getAsLong();
    budget.take(held.bytes);
    all.add(held);
    version++;
    supply.get(held, new Reports(held));
  }

  /**
   * An origin wants these layers here.
   *
   * @throws ClusterException where they cannot be had, with the reason
   */
  void want(Assignment wish) {
    Range range = new Range(wish.from(), wish.to());
    if (budget.allowed() == 0) {
      throw new ClusterException(
          "this node takes no layers but those that it was started with;"
              + " start it with an amount of memory for others");
    }
    if (isHere(wish, range)) {
      return;
    }
    clearName(wish.sha256(), wish.model());
    if (all.size() >= MOST_PARTS) {
      dropFailed();
    }
    String what = "layers %s of model %s".formatted(range, wish.model());
    makeRoom(wish.bytes(), List.of());
    String refusal = budget.refusal(what, wish.bytes());
    if (refusal != null) {
      throw new ClusterException(refusal);
    }
    LOG.log(Level.INFO, "{0} are asked for", what);
    hold(Held.placed(wish.sha256(), wish.model(), range, wish.fileBytes(), wish.bytes()));
  }

  /** Makes place in the list, which all others are told. */
  private void dropFailed() {
    Held failed =
        all.stream()
            .filter(held -> held.isIdle() && held.state == Holding.State.FAILED)
            .findFirst()
            .orElseThrow(
                () ->
                    new ClusterException(
                        "this node has %d parts of models, and takes no more"
                            .formatted(all.size())));
    drop(failed);
  }

  /** Whether they are here or come, or failed a moment ago; what failed before that is dropped. */
  private boolean isHere(Assignment wish, Range range) {
    for (Held held : List.copyOf(all)) {
      boolean same = held.sha256.equals(wish.sha256());
      if (same && held.range.from() <= range.from() && held.range.to() >= range.to()) {
        boolean rests = clock.getAsLong() - held.since < RESTS;
        if (held.state != Holding.State.FAILED || held.explicit || rests) {
          return true;
        }
        drop(held);
      }
    }
    return false;
  }

  /** Another model of that name goes if nobody needs it; else there would be two of one name. */
  private void clearName(String sha256, String model) {
    for (Held held : List.copyOf(all)) {
      if (isNamesake(held, sha256, model)) {
        if (!held.isIdle()) {
          throw new ClusterException(otherFile(held, sha256));
        }
        drop(held);
      }
    }
  }

  private static boolean isNamesake(Held held, String sha256, String model) {
    return held.model.equals(model) && !held.sha256.isEmpty() && !held.sha256.equals(sha256);
  }

  private static String otherFile(Held held, String sha256) {
    return "model %s is another file at the origin: its hash begins with %s, here with %s; give both the same file"
        .formatted(held.model, digits(sha256), digits(held.sha256));
  }

  /** The first twelve, which people compare. */
  static String digits(String sha256) {
    return sha256.substring(0, Math.min(12, sha256.length()));
  }

  /**
   * Drops what is idle, the longest first, until so many bytes are free; nothing where that would
   * not do.
   */
  void makeRoom(long bytes, Collection<Held> except) {
    List<Held> idle =
        all.stream()
            .filter(held -> held.isIdle() && !except.contains(held))
            .sorted((one, other) -> Long.signum(one.since - other.since)) // nanoseconds may wrap
            .toList();
    long most = idle.stream().mapToLong(held -> held.bytes).sum();
    for (Held held : idle) {
      if (budget.fits(bytes) || !budget.fits(bytes - most)) {
        return;
      }
      most -= held.bytes;
      drop(held);
    }
  }

  /** Drops what nobody has used for long. */
  void expire() {
    for (Held held : List.copyOf(all)) {
      if (held.isIdle() && clock.getAsLong() - held.since >= KEPT) {
        drop(held);
      }
    }
  }

  private void drop(Held held) {
    all.remove(held);
    budget.giveBack(held.bytes);
    if (held.weights != null) {
      held.weights.close();
      LOG.log(Level.INFO, "layers {0} of model {1} are freed", held.range, held.model);
    }
    version++;
  }

  /**
   * Loaded layers that make up [from, to), in order.
   *
   * @throws ClusterException where some are not here, or not yet
   */
  List<Piece> cover(String sha256, String model, int from, int to) {
    List<Piece> pieces = new ArrayList<>();
    for (int next = from; next < to; ) {
      Held best = null;
      for (Held held : all) {
        boolean fits = held.isLoaded() && held.sha256.equals(sha256) && has(held, next);
        if (fits && (best == null || held.range.to() > best.range.to())) {
          best = held;
        }
      }
      if (best == null) {
        throw new ClusterException(absence(sha256, model, next, to));
      }
      int end = Math.min(to, best.range.to());
      pieces.add(new Piece(best, next, end));
      next = end;
    }
    return pieces;
  }

  private static boolean has(Held held, int layer) {
    return held.range.from() <= layer && layer < held.range.to();
  }

  /** Why a layer is not here. */
  private String absence(String sha256, String model, int layer, int to) {
    for (Held held : all) {
      boolean same = held.sha256.equals(sha256);
      boolean maybe = held.sha256.isEmpty() && held.model.equals(model);
      if (held.isComing() && (same || maybe) && has(held, layer)) {
        return "layers %s are still loading".formatted(held.range);
      }
      if (held.state == Holding.State.FAILED && same && has(held, layer)) {
        return "layers %s could not be loaded: %s".formatted(held.range, held.problem);
      }
      if (isNamesake(held, sha256, model)) {
        return otherFile(held, sha256);
      }
    }
    return "layers %s of model %s (hash %s) are not here"
        .formatted(new Range(layer, to), model, digits(sha256));
  }

  /** Frees all weights, and what still comes; no session may be open. */
  @Override
  public void close() {
    closed = true;
    List.copyOf(all).forEach(this::drop);
  }

  private void loaded(Held held, String sha256, Weights weights) {
    if (closed || !all.contains(held)) {
      weights.close();
      return;
    }
    budget.take(weights.bytes() - held.bytes);
    held.bytes = weights.bytes();
    held.sha256 = sha256;
    held.weights = weights;
    held.speed.measure(weights, clock);
    held.state = Holding.State.LOADED;
    held.since = clock.getAsLong();
    version++;
    LOG.log(
        Level.INFO,
        "layers {0} of model {1} are loaded: {2}, {3}/s for one row, hash {4}",
        held.range,
        held.model,
        Budget.text(held.bytes),
        Budget.text((long) held.speed.bytesPerSecond()),
        digits(sha256));
  }

  private void failed(Held held, String problem) {
    if (all.contains(held)) {
      budget.giveBack(held.bytes);
      held.bytes = 0;
      held.problem = problem;
      held.state = Holding.State.FAILED;
      held.since = clock.getAsLong();
      version++;
    }
    LOG.log(
        Level.WARNING,
        "layers {0} of model {1} could not be loaded: {2}",
        held.range,
        held.model,
        problem);
  }

  /** Brings the supply's reports to this thread. */
  private final class Reports implements Supply.Report {
    private final Held held;

    Reports(Held held) {
      this.held = held;
    }

    @Override
    public void loading() {
      inbox.put(
          () -> {
            held.state = Holding.State.LOADING;
            version++;
          });
    }

    @Override
    public void loaded(String sha256, Weights weights) {
      if (!inbox.put(() -> Stock.this.loaded(held, sha256, weights))) {
        weights.close();
      }
    }

    @Override
    public void failed(String problem) {
      inbox.put(() -> Stock.this.failed(held, problem));
    }
  }
}
