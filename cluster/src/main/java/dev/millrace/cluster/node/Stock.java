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
              + " start it with --memory for others");
    }
    if (isHere(wish, range)) {
      return;
    }
    clearName(wish.sha256(), wish.model());
    if (all.size() >= MOST_PARTS) {
      dropFailed();
    }
    String what = "%s of model %s".formatted(Phrase.layers(range), wish.model());
    makeRoom(wish.bytes(), List.of());
    String needs = what + Phrase.verb(range, " needs", " need");
    String refusal = budget.refusal(needs, wish.bytes());
    if (refusal != null) {
      throw new ClusterException(refusal + "; start it with a larger --memory");
    }
    LOG.log(Level.INFO, "{0} {1} asked for", what, Phrase.are(range));
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
      if (held.isNamesake(sha256, model)) {
        if (!held.isIdle()) {
          throw new ClusterException(held.otherFile(sha256));
        }
        drop(held);
      }
    }
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
      LOG.log(Level.INFO, "freed: {0} of model {1}", Phrase.layers(held.range), held.model);
    }
    version++;
  }

  /**
   * Loaded layers that make up [from, to), in order.
   *
   * @throws ClusterException where some are not here, or not yet
   */
  List<Coverage.Piece> cover(String sha256, String model, int from, int to) {
    return new Coverage(all, sha256, model).of(from, to);
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
        "loaded: {0} of model {1}, {2}, {3}/s for one row{4}, hash {5}",
        Phrase.layers(held.range),
        held.model,
        Budget.text(held.bytes),
        Budget.text((long) held.speed.bytesPerSecond()),
        held.speed.isSteady() ? "" : " (not steady yet)",
        Held.digits(sha256));
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
        "{0} of model {1} could not be loaded: {2}",
        Phrase.layers(held.range),
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
    public void fetching(String progress) {
      inbox.put(
          () -> {
            held.problem = progress;
            version++;
          });
    }

    @Override
    public void loading() {
      inbox.put(
          () -> {
            held.state = Holding.State.LOADING;
            held.problem = "";
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
