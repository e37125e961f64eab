package dev.millrace.cli.demo;

import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The progress of a stage at one point in time.
 *
 * @param elapsed since its first task started
 * @param rate recent tokens per second of all its tasks together
 * @param limit maximum tokens of a task
 */
record DemoProgress(
    int stage, StageState state, List<Row> rows, Duration elapsed, double rate, int limit) {

  /** A task: its state and its text so far. */
  record Row(int number, TaskState state, long tokens, String text) {}

  DemoProgress withRate(double newRate) {
    return new DemoProgress(stage, state, rows, elapsed, newRate, limit);
  }

  int done() {
    return (int) rows.stream().filter(row -> row.state().isFinal()).count();
  }

  /** The progress in one line. */
  String summary() {
    String counts =
        String.format(Locale.ROOT, "%d of %d done, %,d tokens", done(), rows.size(), tokens());
    return rate > 0 ? counts + String.format(Locale.ROOT, ", %,.0f tokens/s", rate) : counts;
  }

  long tokens() {
    return rows.stream().mapToLong(Row::tokens).sum();
  }

  /** The completed share, from 0 to 1: a task that ends early does not use all its tokens. */
  double share() {
    double sum = 0;
    for (Row row : rows) {
      sum += row.state().isFinal() ? 1 : Math.min(0.95, (double) row.tokens() / limit);
    }
    return rows.isEmpty() ? 0 : sum / rows.size();
  }
}
