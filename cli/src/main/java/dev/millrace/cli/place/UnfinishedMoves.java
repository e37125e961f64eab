package dev.millrace.cli.place;

import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.core.move.TakenOutJob;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Jobs that an interrupted move has left on their way.
 *
 * @param from the store that they were taken out of
 * @param byDestination how many go where
 */
public record UnfinishedMoves(String from, Map<String, Long> byDestination) {

  /** Gives the jobs that were taken out of a store. */
  @FunctionalInterface
  public interface TakenOutJobs {
    void forEach(Consumer<TakenOutJob> jobs);
  }

  public static UnfinishedMoves of(String from, TakenOutJobs jobs) {
    Map<String, Long> counts = new TreeMap<>();
    jobs.forEach(
        job -> {
          if (!job.arrived()) {
            counts.merge(job.to().name(), 1L, Long::sum);
          }
        });
    return new UnfinishedMoves(from, counts);
  }

  /** What is there and what to do about it, a line for each destination. */
  public List<String> lines() {
    return byDestination.keySet().stream()
        .map(to -> text(to) + "; " + remedy(to).to("finishes the move"))
        .toList();
  }

  /** How many jobs go to a store. */
  public String text(String to) {
    return byDestination.get(to)
        + " jobs are on their way to "
        + to
        + " since a move was interrupted";
  }

  /** The command that finishes a move. */
  public SuggestedCommand remedy(String to) {
    return SuggestedCommand.of("move").with(from, to);
  }
}
