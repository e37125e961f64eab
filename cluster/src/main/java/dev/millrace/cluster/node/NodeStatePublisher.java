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
 * Broadcasts this node's state: changes of layers and sessions at once, numbers that change with
 * every step at most once a second. Owned by the compute thread.
 */
final class NodeStatePublisher {
  private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

  private static final int MAX_FILES = 1024;

  private record Published(
      List<HeldLayers> holdings,
      List<String> files,
      long used,
      int sessions,
      int sequences,
      long cacheBytes) {}

  private final LayerMemoryBudget budget;
  private final LayerInventory inventory;
  private final NodeSessions sessions;
  private final Supplier<List<String>> files;
  private final Consumer<UnaryOperator<NodeState>> announce;
  private @Nullable Published last;
  private int inventoryVersion;
  private int sessionsVersion;
  private long lastCheck;

  /**
   * @param files hashes of the models that this node serves to peers
   */
  NodeStatePublisher(
      LayerMemoryBudget budget,
      LayerInventory inventory,
      NodeSessions sessions,
      Supplier<List<String>> files,
      Consumer<UnaryOperator<NodeState>> announce) {
    this.budget = budget;
    this.inventory = inventory;
    this.sessions = sessions;
    this.files = files;
    this.announce = announce;
  }

  /** Broadcasts if something changed; cheap, and called after every task. */
  void publishChanges(long now) {
    boolean changed =
        inventoryVersion != inventory.version()
            || sessionsVersion != sessions.version()
            || last == null;
    if (!changed && now - lastCheck < PAUSE) {
      return;
    }
    lastCheck = now;
    inventoryVersion = inventory.version();
    sessionsVersion = sessions.version();
    Published current =
        new Published(
            inventory.describe(),
            files.get().stream().limit(MAX_FILES).toList(),
            budget.used(),
            sessions.count(),
            sessions.sequences(),
            sessions.cacheBytes());
    if (!current.equals(last)) {
      last = current;
      announce.accept(
          state ->
              state
                  .withLayers(budget.offered(), current.used(), current.holdings(), current.files())
                  .withSessions(current.sessions(), current.sequences(), current.cacheBytes()));
    }
  }
}
