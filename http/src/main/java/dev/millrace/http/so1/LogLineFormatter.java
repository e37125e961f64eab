package dev.millrace.http.so1;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.FactText;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The lines of a job's log. A gate is closed when the job is submitted; that somebody is waited for
 * is said when the stage's turn comes.
 *
 * @param gates numbers of the stages that begin when they are approved
 */
record LogLineFormatter(Set<Integer> gates) {

  /** Of a job that may still get stages, nobody knows which one was next at the time. */
  static LogLineFormatter of(JobView view) {
    return new LogLineFormatter(
        view.header().open()
            ? Set.of()
            : view.stages().stream()
                .filter(StageView::gate)
                .map(StageView::number)
                .collect(Collectors.toUnmodifiableSet()));
  }

  String of(LogEntry entry) {
    String line = Redaction.redactSecrets(FactText.of(entry.fact()));
    int next = next(entry.fact());
    return gates.contains(next) ? line + "; stage " + next + " waits for approval" : line;
  }

  /** The stage whose turn comes with it; 0 if none's does. */
  private static int next(Fact fact) {
    return switch (fact) {
      case Fact.Submitted() -> 1;
      case Fact.StageChanged(int stage, var event, var _, var _)
          when event == StageEvent.COMPLETE ->
          stage + 1;
      default -> 0;
    };
  }
}
