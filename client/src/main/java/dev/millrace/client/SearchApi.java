package dev.millrace.client;

import dev.millrace.api.jobs.BulkAction;
import dev.millrace.api.jobs.BulkResult;
import dev.millrace.api.jobs.JobSearchResult;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import java.time.Duration;
import java.util.stream.Collectors;

/** Finding jobs among many, and changing those that were found. Thread-safe. */
public final class SearchApi {
  /** The server answers when all jobs are changed. */
  private static final Duration CHANGE_TIMEOUT = Duration.ofMinutes(10);

  private final ApiTransport transport;

  SearchApi(ApiTransport transport) {
    this.transport = transport;
  }

  /**
   * Finds jobs. The first search starts to fill the server's index: until the result is complete,
   * there may be more.
   *
   * @param offset how many to leave out
   * @param limit at most 1,000
   */
  public JobSearchResult jobs(SearchFilter filter, int offset, int limit) {
    return transport
        .send(search(filter).query("offset", offset).query("limit", limit))
        .read(JobSearchResult::fromJson);
  }

  /** The ids of what {@link #jobs} finds, at most 100,000. */
  public JobSearchResult.Ids ids(SearchFilter filter) {
    return transport
        .send(search(filter).query("ids_only", true))
        .read(JobSearchResult.Ids::fromJson);
  }

  private static ClientRequest search(SearchFilter filter) {
    String states =
        filter.states().stream().map(Enum::name).sorted().collect(Collectors.joining(","));
    return ClientRequest.get("/v1/jobs/search")
        .query("status", states.isEmpty() ? null : states)
        .query("type", filter.type())
        .query("tag", filter.tag())
        .query("model", filter.model())
        .query("key", filter.key())
        .query("text", filter.text())
        .query("from_date", filter.from())
        .query("end_date", filter.until())
        .query("waits_for_approval", ApiTransport.trueOrNull(filter.atGate()))
        .query("sort", filter.oldestFirst() ? "oldest" : null);
  }

  /**
   * Does the same to up to 1,000 jobs, one after the other, and returns what became of each. Retried
   * only if the request was not sent: if its answer is lost, the jobs say what was done.
   */
  public BulkResult change(BulkAction action) {
    return transport
        .send(
            ClientRequest.post("/v1/jobs/bulk").body(action.toJson()).timeoutPerTry(CHANGE_TIMEOUT))
        .read(BulkResult::fromJson);
  }
}
