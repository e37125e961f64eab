package dev.millrace.server.infer.model;

import dev.millrace.server.infer.shelf.LoadFailure;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelMemoryBudget;
import dev.millrace.server.infer.shelf.ModelRequest;
import dev.millrace.server.infer.shelf.ModelShelf;
import dev.millrace.server.infer.shelf.ShelfItem;
import dev.millrace.server.infer.shelf.ShelfItemLoader;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model whose layers are with others. It is opened once for good, and anew when that failed or
 * its engine ended by itself. It has a shelf of its own, so that nobody else waits while it waits
 * for its network. Thread-safe.
 */
final class RemoteModelSlot implements AutoCloseable {
  private static final long FIRST_PAUSE = Duration.ofSeconds(5).toNanos();
  private static final long LONGEST_PAUSE = Duration.ofMinutes(5).toNanos();
  private static final Duration NEVER = Duration.ofDays(36_500);

  private final ShelfItemLoader<LoadedModel> source;
  private final ModelShelf shelf;
  private final LongSupplier clock;
  private @Nullable ModelRequest<LoadedModel> opening; // guarded by this
  private long failed; // guarded by this; when it last did
  private long pause; // guarded by this; after that

  /**
   * @param clock nanoseconds
   */
  RemoteModelSlot(ShelfItemLoader<LoadedModel> source, LongSupplier clock) {
    this.source = source;
    this.shelf = new ModelShelf(new ModelMemoryBudget(source.bytes(), 0), NEVER, clock);
    this.clock = clock;
  }

  /** A place in line for it; nobody loses that because it cannot be opened for a while. */
  ModelRequest<LoadedModel> request() {
    return shelf.requestLoaded(source);
  }

  /** Begins to open it. */
  synchronized void startOpening() {
    opening = shelf.request(source);
  }

  /**
   * Waits until it is open; after {@code patience} that goes on without the caller.
   *
   * @throws LoadFailure if it cannot be opened
   */
  void awaitOpened(Duration patience) throws InterruptedException {
    ModelRequest<LoadedModel> ticket;
    synchronized (this) {
      ticket = opening;
    }
    if (ticket != null && ticket.isDoneWithin(patience)) {
      ticket.await().ifPresent(ModelLease::close);
    }
  }

  /** Opens it where it is not open, unless that failed a moment ago. */
  synchronized void reopenIfNeeded() throws InterruptedException {
    if (opening != null && opening.isDoneWithin(Duration.ZERO)) {
      note(opening);
      opening = null;
    }
    boolean due = clock.getAsLong() - failed >= pause;
    if (opening == null && due && shelf.loaded().isEmpty() && !shelf.isClosed()) {
      startOpening();
    }
  }

  private void note(ModelRequest<LoadedModel> decided) throws InterruptedException {
    try {
      decided.await().ifPresent(ModelLease::close);
      pause = 0;
    } catch (LoadFailure e) { // which the shelf has logged
      failed = clock.getAsLong();
      pause = pause == 0 ? FIRST_PAUSE : Math.min(2 * pause, LONGEST_PAUSE);
    }
  }

  List<ShelfItem> loaded() {
    return shelf.loaded();
  }

  @Override
  public void close() {
    shelf.close();
  }
}
