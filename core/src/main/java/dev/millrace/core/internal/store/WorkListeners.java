package dev.millrace.core.internal.store;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.WorkListener;
import dev.millrace.core.task.OutputChunk;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Reports to all listeners of a store. Thread-safe. */
public final class WorkListeners {
  private final List<WorkListener> listeners = new CopyOnWriteArrayList<>();

  public Subscription add(WorkListener listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  public List<Claim> claimed(List<Claim> claims) {
    tell(listener -> claims.forEach(listener::claimed));
    return claims;
  }

  public Outcome answered(Claim claim, WorkListener.Answer answer, Outcome outcome) {
    tell(listener -> listener.answered(claim, answer, outcome));
    return outcome;
  }

  public ClaimSignal signalled(Claim claim, ClaimSignal signal) {
    tell(listener -> listener.signalled(claim, signal));
    return signal;
  }

  public ClaimSignal journaled(Claim claim, OutputChunk piece, ClaimSignal signal) {
    if (signal.isPresent() && !piece.pieces().isEmpty()) {
      tell(listener -> listener.journaled(claim));
    }
    return signalled(claim, signal);
  }

  public int swept(int tasks) {
    tell(listener -> listener.swept(tasks));
    return tasks;
  }

  private void tell(Consumer<WorkListener> call) {
    for (WorkListener listener : listeners) {
      try {
        call.accept(listener);
      } catch (RuntimeException | Error e) { // the caller must learn what was done
        System.getLogger("dev.millrace.store")
            .log(Level.WARNING, "a listener of the store failed", e);
      }
    }
  }
}
