package dev.millrace.client;

import dev.millrace.api.SseEvent;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The events of a job up to its final status. */
public final class JobEventStream extends ServerEventStream {

  JobEventStream(ApiTransport transport, UUID job, @Nullable Long cursor) {
    super(transport, new JobEvents(job, cursor));
  }

  private record JobEvents(UUID job, @Nullable Long cursor) implements Source {
    @Override
    public String what() {
      return "events of " + job;
    }

    @Override
    public ClientRequest request(@Nullable String lastId) {
      ClientRequest request = ClientRequest.get("/api/jobs/{}/events", job);
      return lastId == null
          ? request.query("cursor", cursor)
          : request.header("Last-Event-ID", lastId);
    }

    @Override
    public boolean isLast(SseEvent event) {
      return event.isFinal();
    }
  }
}
