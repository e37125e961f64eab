package dev.millrace.cluster.node;

import dev.millrace.cluster.internal.layers.ComputeQueue;
import dev.millrace.cluster.internal.layers.LayerEntry;
import dev.millrace.cluster.internal.layers.LayerInventory;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The compute thread of a node, which owns sessions, layers and the compute pool. It runs the work
 * of the queue until the queue is closed, and then frees everything.
 */
final class ComputeLoop implements Runnable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(250);

  private final ComputeQueue queue;
  private final LayerInventory inventory;
  private final NodeSessions sessions;
  private final NodeStatePublisher publisher;
  private final ComputePool pool;
  private final List<LayerEntry> configured;

  /**
   * @param configured layers to load at the start
   */
  ComputeLoop(
      ComputeQueue queue,
      LayerInventory inventory,
      NodeSessions sessions,
      NodeStatePublisher publisher,
      ComputePool pool,
      List<LayerEntry> configured) {
    this.queue = queue;
    this.inventory = inventory;
    this.sessions = sessions;
    this.publisher = publisher;
    this.pool = pool;
    this.configured = configured;
  }

  @Override
  public void run() {
    try {
      configured.forEach(inventory::load);
      while (!queue.isClosed()) {
        doNext(TICK);
        housekeeping();
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "unexpected interrupt; this node stops");
    } finally {
      free();
    }
  }

  /** Returns whether there was work. */
  private boolean doNext(long timeout) throws InterruptedException {
    Runnable next = queue.take(timeout, TimeUnit.NANOSECONDS);
    if (next != null) {
      guarded(next);
    }
    return next != null;
  }

  private void housekeeping() {
    guarded(
        () -> {
          inventory.dropUnused();
          sessions.retryPending();
          publisher.publishChanges(System.nanoTime());
        });
  }

  /** A failure ends only one task; the others continue. */
  private static void guarded(Runnable work) {
    try {
      work.run();
    } catch (Throwable e) {
      LOG.log(Level.ERROR, "a task of this node failed: " + PipeProcessor.reason(e), e);
    }
  }

  private void free() {
    try {
      sessions.closeAll();
      inventory.close();
      while (doNext(0)) {
        // frees what was loaded meanwhile
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      pool.close();
    }
  }
}
