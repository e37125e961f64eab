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
 * The thread that computes, and to which sessions, layers and crew belong: it does what is in the
 * inbox, until that is closed, and frees all.
 */
final class ComputeLoop implements Runnable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(250);

  private final ComputeQueue inbox;
  private final LayerInventory stock;
  private final NodeSessions sessions;
  private final NodeStatePublisher telling;
  private final ComputePool crew;
  private final List<LayerEntry> explicit;

  /**
   * @param explicit what it holds from its start on
   */
  ComputeLoop(
      ComputeQueue inbox,
      LayerInventory stock,
      NodeSessions sessions,
      NodeStatePublisher telling,
      ComputePool crew,
      List<LayerEntry> explicit) {
    this.inbox = inbox;
    this.stock = stock;
    this.sessions = sessions;
    this.telling = telling;
    this.crew = crew;
    this.explicit = explicit;
  }

  @Override
  public void run() {
    try {
      explicit.forEach(stock::load);
      while (!inbox.isClosed()) {
        doNext(TICK);
        keepHouse();
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "this node was interrupted, and stops");
    } finally {
      free();
    }
  }

  /** Returns whether there was anything. */
  private boolean doNext(long patience) throws InterruptedException {
    Runnable next = inbox.take(patience, TimeUnit.NANOSECONDS);
    if (next != null) {
      guarded(next);
    }
    return next != null;
  }

  private void keepHouse() {
    guarded(
        () -> {
          stock.dropUnused();
          sessions.retryPending();
          telling.publishChanges(System.nanoTime());
        });
  }

  /** Whatever goes wrong is one errand's: the others go on. */
  private static void guarded(Runnable work) {
    try {
      work.run();
    } catch (Throwable e) {
      LOG.log(Level.ERROR, "this node could not do something: " + PipeProcessor.reason(e), e);
    }
  }

  private void free() {
    try {
      sessions.closeAll();
      stock.close();
      while (doNext(0)) {
        // what was loaded meanwhile is freed
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      crew.close();
    }
  }
}
