package dev.millrace.server;

import dev.millrace.core.rules.Answer;
import java.util.concurrent.atomic.LongAdder;

/** What a server's work came to since its start. Thread-safe. */
final class Tally {
  final LongAdder done = new LongAdder();
  final LongAdder failed = new LongAdder();
  final LongAdder released = new LongAdder();
  final LongAdder dropped = new LongAdder();
  final LongAdder failedJobs = new LongAdder();

  void count(TaskOutcome outcome, Answer answer) {
    LongAdder counter =
        switch (outcome) {
          case TaskOutcome.Done _ -> done;
          case TaskOutcome.Failed _ -> failed;
          case TaskOutcome.Released _ -> released;
        };
    (answer.done() ? counter : dropped).increment();
  }
}
