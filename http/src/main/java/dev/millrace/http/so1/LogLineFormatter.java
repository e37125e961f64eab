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
 * Formats the entries of a job's log as lines. A line about the end of a stage says if the next
 * stage waits for approval.
 *
 * @param gates the numbers of the stages that need approval
 */
record LogLineFormatter(Set<Integer> gates) {

  /** For an open job there are no gates: which stage was next at the time is not known. */
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

  /** The stage that is next after this entry; 0 if the entry does not end a stage. */
  private static int next(Fact fact) {
    return switch (fact) {
      case Fact.Submitted _ -> 1;
      case Fact.StageChanged(int stage, var event, var _, var _)
          when event == StageEvent.COMPLETE ->
          stage + 1;
      default -> 0;
    };
  }
}
