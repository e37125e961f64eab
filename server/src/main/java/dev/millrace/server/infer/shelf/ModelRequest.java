package dev.millrace.server.infer.shelf;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A request for a model that may still have to be loaded. */
public final class ModelRequest<T extends ShelfItem> {
  private final ModelShelf shelf;
  private final ShelfSlot<T> slot;
  private final boolean triggersLoad;
  private final long due;
  private final CompletableFuture<ModelLease<T>> granted = new CompletableFuture<>();

  /**
   * @param triggersLoad whether it makes the shelf load the model, and fails if that fails; else it
   *     waits until another request has loaded it
   * @param due from when on models in use must make room for it, on the shelf's clock
   */
  ModelRequest(ModelShelf shelf, ShelfSlot<T> slot, boolean triggersLoad, long due) {
    this.due = due;
    this.shelf = shelf;
    this.slot = slot;
    this.triggersLoad = triggersLoad;
  }

  boolean triggersLoad() {
    return triggersLoad;
  }

  long due() {
    return due;
  }

  ShelfSlot<T> slot() {
    return slot;
  }

  /** Cancels the request; does nothing once it was granted. */
  public void cancel() {
    shelf.cancel(this);
    granted.cancel(false);
  }

  /** Called under the shelf's lock, after the lease was counted. */
  void grant() {
    granted.complete(new ModelLease<>(shelf, slot, slot.item()));
  }

  void fail(Throwable cause) {
    granted.completeExceptionally(cause);
  }

  /** Whether the request is granted, failed or cancelled within that time. */
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
   * Waits for the model; empty if the request was cancelled.
   *
   * @throws ModelLoadException if the model cannot be loaded
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
      throw new ModelLoadException(
          "model \"%s\" cannot be loaded: %s".formatted(slot.loader.name(), cause.getMessage()),
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
