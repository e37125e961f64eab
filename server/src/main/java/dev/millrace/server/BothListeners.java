package dev.millrace.server;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/** Two listeners as one: the second is called even if the first throws. */
record BothListeners(TaskListener first, TaskListener second) implements TaskListener {
  @Override
  public void started(Claim claim) {
    try {
      first.started(claim);
    } finally {
      second.started(claim);
    }
  }

  @Override
  public @Nullable TraceContext trace(Claim claim) {
    TraceContext trace = first.trace(claim);
    return trace == null ? second.trace(claim) : trace;
  }

  @Override
  public void finished(Claim claim, TaskOutcome outcome, Outcome answer) {
    try {
      first.finished(claim, outcome, answer);
    } finally {
      second.finished(claim, outcome, answer);
    }
  }
}
