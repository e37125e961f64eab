package dev.millrace.server.infer.model;

import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelLoadException;
import dev.millrace.server.infer.shelf.ModelMemoryBudget;
import dev.millrace.server.infer.shelf.ModelRequest;
import dev.millrace.server.infer.shelf.ModelShelf;
import dev.millrace.server.infer.shelf.ModelSwitchBounds;
import dev.millrace.server.infer.shelf.ShelfItem;
import dev.millrace.server.infer.shelf.ShelfItemLoader;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a model with layers at other nodes open. It is opened again when that failed or its engine
 * ended by itself. It has its own shelf, so that no other model waits while it waits for its
 * network. Thread-safe.
 */
final class RemoteModelSlot implements AutoCloseable {
  private static final long FIRST_PAUSE = Duration.ofSeconds(5).toNanos();
  private static final long LONGEST_PAUSE = Duration.ofMinutes(5).toNanos();
  private static final Duration NEVER = Duration.ofDays(36_500);

  private final ShelfItemLoader<LoadedModel> loader;
  private final ModelShelf shelf;
  private final LongSupplier clock;
  private @Nullable ModelRequest<LoadedModel> opening; // guarded by this
  private long failedAt; // guarded by this; time of the last failure
  private long pause; // guarded by this; before the next try

  /**
   * @param clock nanoseconds
   */
  RemoteModelSlot(ShelfItemLoader<LoadedModel> loader, LongSupplier clock) {
    this.loader = loader;
    this.shelf =
        new ModelShelf(
            new ModelMemoryBudget(loader.bytes(), 0), NEVER, ModelSwitchBounds.NONE, clock);
    this.clock = clock;
  }

  /** Requests the model; the request waits even if opening fails for a while. */
  ModelRequest<LoadedModel> request() {
    return shelf.requestLoaded(loader);
  }

  /** Starts to open the model in the background. */
  synchronized void startOpening() {
    opening = shelf.request(loader);
  }

  /**
   * Waits until the model is open, at most for {@code patience}; opening then continues in the
   * background.
   *
   * @throws ModelLoadException if the model cannot be opened
   */
  void awaitOpened(Duration patience) throws InterruptedException {
    ModelRequest<LoadedModel> request;
    synchronized (this) {
      request = opening;
    }
    if (request != null && request.isDoneWithin(patience)) {
      request.await().ifPresent(ModelLease::close);
    }
  }

  /** Opens the model if it is not open, unless it failed recently. */
  synchronized void reopenIfNeeded() throws InterruptedException {
    if (opening != null && opening.isDoneWithin(Duration.ZERO)) {
      recordResult(opening);
      opening = null;
    }
    boolean due = clock.getAsLong() - failedAt >= pause;
    if (opening == null && due && shelf.loaded().isEmpty() && !shelf.isClosed()) {
      startOpening();
    }
  }

  private void recordResult(ModelRequest<LoadedModel> finished) throws InterruptedException {
    try {
      finished.await().ifPresent(ModelLease::close);
      pause = 0;
    } catch (ModelLoadException e) { // the shelf has logged it
      failedAt = clock.getAsLong();
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
