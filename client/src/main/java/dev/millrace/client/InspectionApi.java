package dev.millrace.client;

import dev.millrace.api.jobs.JobLogPage;
import dev.millrace.api.jobs.KeySession;
import dev.millrace.api.jobs.StateMachine;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import java.util.List;
import java.util.UUID;

/** What happened to a job, what the states mean, and what a key may do. Thread-safe. */
public final class InspectionApi {
  private final ApiTransport transport;

  InspectionApi(ApiTransport transport) {
    this.transport = transport;
  }

  /**
   * A part of a job's log.
   *
   * @param after only entries after this number
   * @param limit at most 1,000
   */
  public JobLogPage log(UUID job, long after, int limit) {
    return transport
        .send(ClientRequest.get("/v1/jobs/{}/log", job).query("after", after).query("limit", limit))
        .read(JobLogPage::fromJson);
  }

  /** What the key of this client may do. */
  public KeySession session() {
    return transport.send(ClientRequest.get("/v1/session")).read(KeySession::fromJson);
  }

  /** The transition tables. */
  public List<StateMachine> stateMachines() {
    return transport
        .send(ClientRequest.get("/v1/state-machines"))
        .list("machines", StateMachine::fromJson);
  }
}
