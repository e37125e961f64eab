package dev.millrace.http.job;

import dev.millrace.core.job.JobSpec;
import dev.millrace.http.route.Problem;

/**
 * Names in a job's data that mean something to this server. Only the server sets them, so that a
 * client cannot make a job that counts as a response of another key.
 */
public final class ReservedJobData {
  /** The data of a job that is a stored response of OpenAI's API. */
  public static final String RESPONSE = "openai_response";

  private ReservedJobData() {}

  /**
   * @throws Problem INVALID if a client's job has such data
   */
  public static JobSpec requireNone(JobSpec spec) {
    if (spec.data().has(RESPONSE)) {
      throw new Problem(
          Problem.Kind.INVALID,
          "\"data\" has the field \""
              + RESPONSE
              + "\", which is reserved for stored responses: use another name, or create a response"
              + " with POST /v1/responses");
    }
    return spec;
  }
}
