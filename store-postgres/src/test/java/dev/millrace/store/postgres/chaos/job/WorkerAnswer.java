package dev.millrace.store.postgres.chaos.job;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import java.util.Optional;

/**
 * What a worker was told by the store. A server prints each as a line as soon as it has it.
 *
 * @param sure whether there was no earlier call whose outcome is not known
 */
public record WorkerAnswer(Kind kind, JobId job, ClaimKey claim, String worker, boolean sure) {
  private static final String MARK = "@";

  /** What was acknowledged, or refused. */
  public enum Kind {
    CLAIMED,
    COMPLETED,
    FAILED,
    RELEASED,
    /** Its result was not accepted. */
    REFUSED
  }

  public static WorkerAnswer of(Kind kind, Claim claim, String worker, boolean sure) {
    return new WorkerAnswer(kind, claim.job(), claim.key(), worker, sure);
  }

  public String line() {
    return "%s%s %s %d %d %d %d %s %s"
        .formatted(
            MARK,
            kind,
            job,
            claim.stage(),
            claim.task(),
            claim.token().epoch(),
            claim.token().number(),
            worker,
            sure);
  }

  /** The answer of a line; empty if the line is none. */
  public static Optional<WorkerAnswer> parse(String line) {
    String[] words = line.split(" ", -1);
    if (!line.startsWith(MARK) || words.length != 8) {
      return Optional.empty();
    }
    return Optional.of(
        new WorkerAnswer(
            Kind.valueOf(words[0].substring(MARK.length())),
            new JobId(words[1]),
            new ClaimKey(
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]),
                new FencingToken(Long.parseLong(words[4]), Long.parseLong(words[5]))),
            words[6],
            Boolean.parseBoolean(words[7])));
  }
}
