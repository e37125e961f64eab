package dev.millrace.cli.format;

import dev.millrace.cli.args.UsageException;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobState;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses states as users write them ({@code IN_PROGRESS}, {@code running}, several joined by
 * commas), and names states in output.
 */
public final class StateNames {
  /** A job that waits for an approval: no state of its own, but what a user sees. */
  public static final String WAITING = "waiting";

  private StateNames() {}

  /**
   * The states in {@code given}.
   *
   * @param known the ones that may be named
   * @param others further names that the caller takes, for the message if one is unknown
   */
  public static Set<JobState> parse(List<String> given, Set<JobState> known, String... others) {
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    for (String list : given) {
      for (String name : list.split(",", -1)) {
        JobState state = find(name, known);
        if (state == null) {
          throw new UsageException(
              "unknown state \""
                  + name
                  + "\"; known: "
                  + String.join(", ", words(known))
                  + (others.length == 0 ? "" : ", " + String.join(", ", others)));
        }
        states.add(state);
      }
    }
    return states;
  }

  private static @Nullable JobState find(String name, Set<JobState> known) {
    for (JobState state : known) {
      if (state.name().equalsIgnoreCase(name) || word(state).equalsIgnoreCase(name)) {
        return state;
      }
    }
    return null;
  }

  public static String word(JobState state) {
    return Status.of(state).name().toLowerCase(Locale.ROOT);
  }

  private static List<String> words(Set<JobState> states) {
    return states.stream()
        .filter(state -> state != JobState.CREATED)
        .map(StateNames::word)
        .toList();
  }
}
