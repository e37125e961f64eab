package dev.millrace.cluster.node;

import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.tensor.Crew;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The thread that computes, and to which sessions, layers and crew belong: it does what is in the
 * inbox, until that is closed, and frees all.
 */
final class Worker implements Runnable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(250);

  private final Inbox inbox;
  private final Stock stock;
  private final Sessions sessions;
  private final Telling telling;
  private final Crew crew;
  private final List<Held> explicit;

  /**
   * @param explicit what it holds from its start on
   */
  Worker(
      Inbox inbox,
      Stock stock,
      Sessions sessions,
      Telling telling,
      Crew crew,
      List<Held> explicit) {
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
      explicit.forEach(stock::hold);
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
          stock.expire();
          sessions.retry();
          telling.look(System.nanoTime());
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
