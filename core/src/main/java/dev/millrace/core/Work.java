package dev.millrace.core;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.JobSubmitter;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.StoreException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Submits jobs. Errors are values: a caller that queues jobs all night must not lose one to an
 * unexpected exception. Thread-safe if its store is.
 */
public final class Work {

  /** What went wrong with a submission. */
  public enum Problem {
    NONE,
    /** The disk or the database failed. */
    IO,
    /** Too large. */
    INVALID_SIZE,
    /** Breaks a rule for the content of a job. */
    INVALID_CONTENT,
    /** There is no such job. */
    NOT_FOUND,
    /** The job has not ended. */
    NOT_ENDED
  }

  /**
   * The result of a submission.
   *
   * @param id the job's id if {@code ok}, else null
   * @param message what is wrong and what is allowed; empty if {@code ok}
   */
  public record SubmitResult(boolean ok, @Nullable JobId id, Problem problem, String message) {
    static SubmitResult refused(Problem problem, @Nullable String message) {
      return new SubmitResult(false, null, problem, message == null ? problem.name() : message);
    }
  }

  private static final JobIdGenerator IDS = JobIdGenerator.forThisProcess();

  private final JobSubmitter store;

  public Work(JobSubmitter store) {
    this.store = store;
  }

  /** Submits a prompt. When the result is ok, the job is durable. */
  public SubmitResult submit(String prompt) {
    if (prompt.isEmpty()) {
      return SubmitResult.refused(Problem.INVALID_CONTENT, "Empty prompt");
    }
    if (!isValidPrompt(prompt)) {
      return SubmitResult.refused(
          Problem.INVALID_SIZE, "Prompt too large: at most " + JobSpec.MAX_PROMPT_BYTES + " bytes");
    }
    return submit(JobSpec.prompt("generate", prompt));
  }

  /** Submits any job. When the result is ok, the job is durable. */
  public SubmitResult submit(JobSpec spec) {
    try {
      return new SubmitResult(true, store.submit(spec), Problem.NONE, "");
    } catch (IllegalArgumentException e) {
      return SubmitResult.refused(Problem.INVALID_CONTENT, e.getMessage());
    } catch (StoreException e) {
      return SubmitResult.refused(Problem.IO, e.getMessage());
    }
  }

  /**
   * Runs a job that is COMPLETED, FAILED or ABORTED again, as a new job. It adopts what was
   * completed and begins where the ended one failed; see {@link JobSubmitter#retry}.
   *
   * @param fromStart whether to repeat everything
   */
  public SubmitResult retry(JobId ended, boolean fromStart) {
    try {
      RetryResult result = store.retry(new RetryRequest(ended, fromStart, null));
      return switch (result.outcome()) {
        case Outcome.Done _ -> new SubmitResult(true, result.id(), Problem.NONE, "");
        case Outcome.Missing(String message) -> SubmitResult.refused(Problem.NOT_FOUND, message);
        case Outcome other -> SubmitResult.refused(Problem.NOT_ENDED, other.message());
      };
    } catch (IllegalArgumentException e) {
      return SubmitResult.refused(Problem.INVALID_CONTENT, e.getMessage());
    } catch (StoreException e) {
      return SubmitResult.refused(Problem.IO, e.getMessage());
    }
  }

  /** A new id, unique in this process and sorted by time. */
  public static JobId generateId() {
    return IDS.next();
  }

  /** Not empty, and at most {@link JobSpec#MAX_PROMPT_BYTES} bytes of UTF-8. */
  public static boolean isValidPrompt(String prompt) {
    if (prompt.isEmpty() || prompt.length() > JobSpec.MAX_PROMPT_BYTES) {
      return false;
    }
    return prompt.length() <= JobSpec.MAX_PROMPT_BYTES / 3
        || prompt.getBytes(StandardCharsets.UTF_8).length <= JobSpec.MAX_PROMPT_BYTES;
  }
}
