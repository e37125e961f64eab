package dev.millrace.store.fs.internal.simulation;

import dev.millrace.core.event.Cause;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.disk.FsSettings;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** What the actors of one life share. Each call of the store goes through {@link #ask}. */
final class ActorContext {
  final RandomGenerator random;
  final Scheduler scheduler;
  final SimulatedClock clock;
  final FsSettings settings;
  final JobStore store;
  final History history;
  final Faults faults;
  private boolean broken;

  ActorContext(
      RandomGenerator random,
      Scheduler scheduler,
      SimulatedClock clock,
      FsSettings settings,
      JobStore store,
      History history,
      Faults faults) {
    this.random = random;
    this.scheduler = scheduler;
    this.clock = clock;
    this.settings = settings;
    this.store = store;
    this.history = history;
    this.faults = faults;
  }

  boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  /** A user's request with an id of its own. */
  Cause cause() {
    return Cause.user("anna", null).withOp(history.unique("op"));
  }

  /** Whether the store has said that it cannot go on. */
  boolean isBroken() {
    return broken;
  }

  /**
   * Calls the store; empty if it threw. It may throw only if something has failed, and only what its
   * callers know.
   */
  <T> Optional<T> ask(Supplier<T> call) {
    try {
      return Optional.of(call.get());
    } catch (StoreBrokenException e) {
      requireReason(e);
      broken = true;
    } catch (OtherProcess.NoAnswerException e) {
      return Optional.empty();
    } catch (StoreException | OutOfMemoryError | StackOverflowError e) {
      requireReason(e);
    }
    return Optional.empty();
  }

  /** As {@link #ask}, for calls without an answer; whether it returned. */
  boolean run(Runnable call) {
    return ask(() -> {
          call.run();
          return true;
        })
        .isPresent();
  }

  private void requireReason(Throwable e) {
    if (!faults.injected()) {
      throw new AssertionError("nothing has failed, but the store threw " + e, e);
    }
  }
}
