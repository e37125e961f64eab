package dev.millrace.server;

import dev.millrace.core.store.Outcome;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of a server since its start. Thread-safe. */
final class OutcomeCounters {
  final LongAdder done = new LongAdder();
  final LongAdder failed = new LongAdder();
  final LongAdder released = new LongAdder();
  final LongAdder dropped = new LongAdder();
  final LongAdder unstored = new LongAdder();
  final LongAdder failedJobs = new LongAdder();

  void count(TaskOutcome outcome, Outcome answer) {
    LongAdder counter =
        switch (outcome) {
          case TaskOutcome.Done _ -> done;
          case TaskOutcome.Failed _ -> failed;
          case TaskOutcome.Released _ -> released;
        };
    (answer.isDone() ? counter : dropped).increment();
  }
}
