package dev.millrace.store.postgres.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How much must have happened, so that the end says something. */
final class ChaosMinimum {
  /** Counts in one minute of faults, on a slow machine. */
  private static final Map<String, Integer> IN_A_MINUTE =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("submitted", 200),
              Map.entry("submitted again", 5),
              Map.entry("submitted twice at once", 5),
              Map.entry("submitted with a key", 5),
              Map.entry("key checked", 5),
              Map.entry("submitted by a server", 3),
              Map.entry("CLAIMED", 500),
              Map.entry("COMPLETED", 300),
              Map.entry("FAILED", 10),
              Map.entry("RELEASED", 10),
              Map.entry("Describe done", 10),
              Map.entry("Approve done", 3),
              Map.entry("AddTasks done", 1),
              Map.entry("snapshot checked", 1),
              Map.entry("second with an idle transaction", 10),
              Map.entry("server started", 5)));

  private ChaosMinimum() {}

  /** What is missing; empty if nothing is. */
  static List<String> problems(ChaosHistory history, ChaosSettings settings) {
    List<String> problems = new ArrayList<>();
    double minutes = settings.length().toMillis() / 60_000.0;
    IN_A_MINUTE.forEach((what, often) -> require(history, what, often * minutes, problems));
    problems.addAll(missingFaults(history, settings));
    boolean clocks = ServerClock.canBeSet();
    require(history, "server with a clock hours away", clocks ? 2 : 0, problems);
    return problems;
  }

  /** Which faults have not happened once a minute; a slow machine needs more time for them. */
  static List<String> missingFaults(ChaosHistory history, ChaosSettings settings) {
    List<String> missing = new ArrayList<>();
    double decks = Math.floor(settings.length().toMillis() / 60_000.0);
    for (ServerFaults.Fault fault : ServerFaults.Fault.values()) {
      boolean possible = fault != ServerFaults.Fault.SET_CLOCK || ServerClock.canBeSet();
      require(history, "fault " + fault, possible ? decks : 0, missing);
    }
    for (DatabaseFaults.Fault fault : DatabaseFaults.Fault.values()) {
      require(history, "fault " + fault, decks, missing);
    }
    require(history, "frozen server joined again", decks, missing);
    return missing;
  }

  private static void require(
      ChaosHistory history, String what, double least, List<String> problems) {
    if (history.counted(what) < Math.floor(least)) {
      problems.add(
          "too little happened: \"%s\" %d times, expected %.0f"
              .formatted(what, history.counted(what), least));
    }
  }
}
