package dev.millrace.cli.soak;

import dev.millrace.cli.soak.SoakHistory.Answer;
import dev.millrace.cli.soak.SoakHistory.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** How much must have happened in a soak, so that its end says something. */
final class SoakMinimum {
  private static final Set<String> LEVERS =
      Set.of("pause", "resume", "abort", "approve", "describe", "prioritize", "tasks");

  /** Of faults that met nobody, or a disk that did not become full. */
  private static final Set<String> NOTHING = Set.of("nobody", "not full");

  private final SoakHistory history;
  private final long minutes;
  private final List<String> problems = new ArrayList<>();

  private SoakMinimum(SoakHistory history, long minutes) {
    this.history = history;
    this.minutes = minutes;
  }

  /** What is missing; empty if nothing is. */
  static List<String> problems(SoakHistory history, SoakSettings settings) {
    SoakMinimum minimum = new SoakMinimum(history, settings.length().toMinutes());
    minimum.require("faults", 20, SoakMinimum::isFault);
    minimum.require("kills", 5, each -> isFault(each) && each.verb().startsWith("KILL_"));
    minimum.require("kills of the owner", 1, each -> isFault(each) && isKillOfOwner(each));
    minimum.require("jobs submitted", 50, each -> each.verb().equals("submit"));
    minimum.require("tasks completed", 50, each -> each.verb().equals("complete"));
    minimum.require("levers", 50, each -> LEVERS.contains(each.verb()));
    return minimum.problems;
  }

  private static boolean isFault(Operation operation) {
    return operation.actor().equals("faults") && !NOTHING.contains(operation.subject());
  }

  private static boolean isKillOfOwner(Operation operation) {
    return operation.verb().equals("KILL_OWNER");
  }

  /**
   * @param often in ten minutes
   */
  private void require(String what, int often, Predicate<Operation> which) {
    long found =
        history.all().filter(each -> each.answer() == Answer.ACKNOWLEDGED).filter(which).count();
    if (found < often * minutes / 10) {
      problems.add(
          "too little happened: %d %s in %d minutes, expected %d in ten"
              .formatted(found, what, minutes, often));
    }
  }
}
