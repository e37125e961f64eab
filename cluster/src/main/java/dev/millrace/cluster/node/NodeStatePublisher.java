package dev.millrace.cluster.node;

import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.layers.LayerInventory;
import dev.millrace.cluster.internal.layers.LayerMemoryBudget;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What this node tells the others of itself: what it holds and for whom, at once; figures that move
 * with every step, once a second at most. Belongs to the thread that computes.
 */
final class NodeStatePublisher {
  private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

  private static final int MOST_FILES = 1024;

  private record Published(
      List<HeldLayers> holdings,
      List<String> files,
      long used,
      int sessions,
      int passages,
      long cacheBytes) {}

  private final LayerMemoryBudget budget;
  private final LayerInventory stock;
  private final NodeSessions sessions;
  private final Supplier<List<String>> files;
  private final Consumer<UnaryOperator<NodeState>> announce;
  private @Nullable Published last;
  private int stockVersion;
  private int sessionsVersion;
  private long lastLook;

  /**
   * @param files hashes of the models that this node gives to peers
   */
  NodeStatePublisher(
      LayerMemoryBudget budget,
      LayerInventory stock,
      NodeSessions sessions,
      Supplier<List<String>> files,
      Consumer<UnaryOperator<NodeState>> announce) {
    this.budget = budget;
    this.stock = stock;
    this.sessions = sessions;
    this.files = files;
    this.announce = announce;
  }

  /** Looks whether there is news; cheap, and called after everything that is done. */
  void publishChanges(long now) {
    boolean changed =
        stockVersion != stock.version() || sessionsVersion != sessions.version() || last == null;
    if (!changed && now - lastLook < PAUSE) {
      return;
    }
    lastLook = now;
    stockVersion = stock.version();
    sessionsVersion = sessions.version();
    Published told =
        new Published(
            stock.describe(),
            files.get().stream().limit(MOST_FILES).toList(),
            budget.used(),
            sessions.count(),
            sessions.sequences(),
            sessions.cacheBytes());
    if (!told.equals(last)) {
      last = told;
      announce.accept(
          state ->
              state
                  .withLayers(budget.allowed(), told.used(), told.holdings(), told.files())
                  .withSessions(told.sessions(), told.passages(), told.cacheBytes()));
    }
  }
}
