package dev.millrace.server.infer.shelf;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A place in line for a model. */
public final class ModelRequest<T extends ShelfItem> {
  private final ModelShelf shelf;
  private final ShelfSlot<T> slot;
  private final boolean triggersLoad;
  private final CompletableFuture<ModelLease<T>> granted = new CompletableFuture<>();

  /**
   * @param opens whether the model is loaded because of it, and it fails with that; else it waits
   *     for whoever opens it, however often that fails
   */
  ModelRequest(ModelShelf shelf, ShelfSlot<T> place, boolean opens) {
    this.shelf = shelf;
    this.slot = place;
    this.triggersLoad = opens;
  }

  boolean triggersLoad() {
    return triggersLoad;
  }

  ShelfSlot<T> slot() {
    return slot;
  }

  /** Leaves the line; does nothing once it was served. */
  public void cancel() {
    shelf.cancel(this);
    granted.cancel(false);
  }

  /** Called with the shelf's lock, which has counted the lease. */
  void grant() {
    granted.complete(new ModelLease<>(shelf, slot, slot.item()));
  }

  void fail(Throwable why) {
    granted.completeExceptionally(why);
  }

  /** Whether it is known by now, or within that time, how it ended. */
  public boolean isDoneWithin(Duration within) throws InterruptedException {
    try {
      granted.get(within.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException | CancellationException e) {
      return true;
    }
    return true;
  }

  /**
   * Waits for the model; empty if the ticket was withdrawn.
   *
   * @throws LoadFailure if it cannot be loaded
   */
  public Optional<ModelLease<T>> await() throws InterruptedException {
    try {
      return Optional.of(granted.get());
    } catch (CancellationException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      giveUp();
      throw e;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new LoadFailure(
          "model \"%s\" cannot be loaded: %s".formatted(slot.source.name(), cause.getMessage()),
          cause);
    }
  }

  private void giveUp() {
    cancel();
    if (!granted.isCompletedExceptionally() && granted.isDone()) {
      granted.join().close();
    }
  }
}
