package dev.millrace.client;

import dev.millrace.api.ApiStage;
import dev.millrace.api.ApiTask;
import dev.millrace.api.PruneRequest;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.ClientException;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientResponse;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** The levers of a server's jobs, over HTTP. The server knows the user by the API key. */
final class RemoteControls implements JobControls {
  private final ApiTransport transport;

  RemoteControls(ApiTransport transport) {
    this.transport = transport;
  }

  /**
   * @throws UnsupportedOperationException if the API does not have the lever, or no comment for it
   */
  @Override
  public Outcome apply(JobId id, Lever lever, Cause cause) {
    LeverRequest request = LeverRequest.of(id, lever, cause.comment());
    try {
      return outcome(id, request, request.send(transport));
    } catch (ApiException e) {
      return switch (e.status()) {
        case 404 -> new Outcome.Missing(e.text());
        case 400, 409 -> new Outcome.Refused(e.text());
        default -> throw new StoreException(e.getMessage(), e);
      };
    } catch (ClientException e) {
      throw new StoreException(e.getMessage(), e);
    }
  }

  private static Outcome outcome(JobId id, LeverRequest request, ClientResponse response) {
    if (response.status() == 204) {
      return new Outcome.Refused(Outcome.Reason.SAME, "it has that value already");
    }
    if (LeverRequest.STAGE.equals(request.created())) {
      return new Outcome.Done(response.read(ApiStage::fromJson).order());
    }
    if (LeverRequest.TASK.equals(request.created())) {
      List<ApiTask> tasks = response.list(ApiTask::fromJson);
      return tasks.isEmpty()
          ? Outcome.DONE
          : EntityId.of(tasks.getFirst().id(), id)
              .map(first -> new Outcome.Done(first.task()))
              .orElseThrow(() -> new StoreException("a task was added to another job"));
    }
    return Outcome.DONE;
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    try {
      return new JobsApi(transport).prune(new PruneRequest(before, states));
    } catch (ClientException e) {
      throw new StoreException(e.getMessage(), e);
    }
  }
}
