package dev.millrace.client;

import dev.millrace.api.SseEvent;
import dev.millrace.api.live.LiveState;
import dev.millrace.api.live.ThroughputHistory;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import org.jspecify.annotations.Nullable;

/** What the server does now, and did in the last hour. Thread-safe. */
public final class LiveApi {
  private final ApiTransport transport;

  LiveApi(ApiTransport transport) {
    this.transport = transport;
  }

  /**
   * Watches the server until it is closed; reconnects as needed. {@link LiveState#fromJson} reads
   * the events.
   */
  public ServerEventStream watch() {
    return new ServerEventStream(transport, new LiveEvents());
  }

  /** What the server does now. */
  public LiveState now() {
    try (ServerEventStream events = watch()) {
      return LiveState.fromJson(events.next().json());
    }
  }

  /**
   * @param minutes how far back, 1 to 60
   */
  public ThroughputHistory history(int minutes) {
    return transport
        .send(ClientRequest.get("/v1/history").query("minutes", minutes))
        .read(ThroughputHistory::fromJson);
  }

  private record LiveEvents() implements ServerEventStream.Source {
    @Override
    public String what() {
      return "the live state";
    }

    @Override
    public ClientRequest request(@Nullable String lastId) {
      return ClientRequest.get("/v1/live");
    }

    @Override
    public boolean isLast(SseEvent event) {
      return false;
    }
  }
}
