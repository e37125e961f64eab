package dev.millrace.cli.place;

import dev.millrace.cli.command.CommandException;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Finds the job that a user means: by its id, by its UUID, or by a part of its id that no other job
 * has, such as the short ids that {@code jobs} lists.
 */
public final class JobIdLookup {
  /** The shortest part that is looked for; anything shorter must be a whole id. */
  static final int SHORTEST_PART = 4;

  private static final Pattern PART = Pattern.compile("[0-9_]{" + SHORTEST_PART + ",}");

  /** As this version makes them: no other id contains such an id, so there is nothing to search. */
  private static final Pattern WHOLE = Pattern.compile("[0-9]{20}_[0-9]+_[0-9]{6,}");

  private static final int MOST_SHOWN = 5;

  private JobIdLookup() {}

  /** Whether the word may be a part of an id. */
  static boolean isPart(String word) {
    return word.length() <= JobId.MAX_LENGTH && PART.matcher(word).matches();
  }

  /**
   * The job's id. It need not exist if the word has the form of a whole id.
   *
   * @throws CommandException if the word is a part of several ids
   */
  public static JobId find(Place place, String word) {
    if (!isPart(word) || WHOLE.matcher(word).matches()) {
      return PlaceLocator.id(word);
    }
    JobReader reader = place.reader();
    boolean valid = JobId.isValid(word);
    if (valid && reader.state(new JobId(word)).isPresent()) {
      return new JobId(word);
    }
    List<JobId> found = reader.list(JobReader.Query.all().idContaining(word));
    if (found.size() > 1) {
      throw new CommandException(ambiguous(word, found));
    }
    return found.isEmpty() ? PlaceLocator.id(word) : found.getFirst();
  }

  private static String ambiguous(String word, List<JobId> found) {
    List<JobId> shown = found.subList(0, Math.min(MOST_SHOWN, found.size()));
    int more = found.size() - shown.size();
    return "\""
        + word
        + "\" is a part of "
        + found.size()
        + " job ids: "
        + String.join(", ", shown.stream().map(JobId::value).toList())
        + (more == 0 ? "" : " and " + more + " more")
        + "; give a longer part, or the whole id";
  }
}
