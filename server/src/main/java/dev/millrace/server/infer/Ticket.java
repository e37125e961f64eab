package dev.millrace.server.infer;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A place in line for a model. */
final class Ticket<T extends Shelved> {
  private final ModelShelf shelf;
  private final Place<T> place;
  private final boolean opens;
  private final CompletableFuture<Lease<T>> lease = new CompletableFuture<>();

  /**
   * @param opens whether the model is loaded because of it, and it fails with that; else it waits
   *     for whoever opens it, however often that fails
   */
  Ticket(ModelShelf shelf, Place<T> place, boolean opens) {
    this.shelf = shelf;
    this.place = place;
    this.opens = opens;
  }

  boolean opens() {
    return opens;
  }

  Place<T> place() {
    return place;
  }

  /** Leaves the line; does nothing once it was served. */
  void withdraw() {
    shelf.withdraw(this);
    lease.cancel(false);
  }

  /** Called with the shelf's lock, which has counted the lease. */
  void serve() {
    lease.complete(new Lease<>(shelf, place, place.take()));
  }

  void fail(Throwable why) {
    lease.completeExceptionally(why);
  }

  /** Whether it is known by now, or within that time, how it ended. */
  boolean isDecided(Duration within) throws InterruptedException {
    try {
      lease.get(within.toNanos(), TimeUnit.NANOSECONDS);
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
  Optional<Lease<T>> await() throws InterruptedException {
    try {
      return Optional.of(lease.get());
    } catch (CancellationException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      giveUp();
      throw e;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new LoadFailure(
          "model \"%s\" cannot be loaded: %s".formatted(place.source.name(), cause.getMessage()),
          cause);
    }
  }

  private void giveUp() {
    withdraw();
    if (!lease.isCompletedExceptionally() && lease.isDone()) {
      lease.join().close();
    }
  }
}
