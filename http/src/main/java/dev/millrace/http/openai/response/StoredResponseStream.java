package dev.millrace.http.openai.response;

import dev.millrace.http.openai.response.store.ResponseReplay;
import dev.millrace.http.openai.response.store.ResponseSignals.Watch;
import dev.millrace.http.openai.response.store.StoredResponse;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.stream.EventStream;
import dev.millrace.http.transport.ClientGoneException;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Sends the events of a stored response: those that the store has at once, later ones as they come.
 * It only reads: a client that disconnects changes nothing. While nothing happens, it looks at the
 * client and at the store with each keep-alive only.
 *
 * @param clientGone whether the client is known to have disconnected
 * @param after the number of the last event that the client has; -1: none
 */
record StoredResponseStream(
    ResponseBackend backend, BooleanSupplier clientGone, StoredResponse response, long after)
    implements EventStream.Source {
  private static final Duration KEEP_ALIVE = EventStream.KEEP_ALIVE_INTERVAL;

  ApiResponse toResponse() {
    return EventStream.response(this, null);
  }

  @Override
  public void write(EventStream events) throws IOException, InterruptedException {
    long[] sent = {System.nanoTime()};
    EventStream watched =
        new EventStream(
            bytes -> {
              events.sink().send(bytes);
              sent[0] = System.nanoTime();
            });
    EventWriter writer = new EventWriter(watched, after);
    try (Watch watch = backend.signals().watch(response.job())) {
      ResponseReplay replay = backend.responses().replay(response, writer::add);
      writer.writeAll(
          () -> {
            while (replay.advance().isEmpty()) {
              writer.flush();
              watch.await(KEEP_ALIVE.minusNanos(System.nanoTime() - sent[0]));
              if (clientGone.getAsBoolean()) {
                throw new ClientGoneException(false, null);
              }
              if (System.nanoTime() - sent[0] >= KEEP_ALIVE.toNanos()) {
                watched.keepAlive();
              }
            }
          },
          response.head().ids().response());
    }
  }
}
