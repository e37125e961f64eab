package dev.millrace.http.openai.response;

import dev.millrace.http.openai.response.store.ResponseReplay;
import dev.millrace.http.openai.response.store.ResponseSignals.Watch;
import dev.millrace.http.openai.response.store.StoredResponse;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.stream.EventStream;
import java.io.IOException;
import java.time.Duration;

/**
 * Sends the events of a stored response: those that the store has at once, later ones as they come.
 * It only reads: a client that disconnects changes nothing.
 *
 * @param after the number of the last event that the client has; -1: none
 */
record StoredResponseStream(ResponseBackend backend, StoredResponse response, long after)
    implements EventStream.Source {
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);

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
              watch.await(LOOK_AGAIN);
              if (System.nanoTime() - sent[0] >= KEEP_ALIVE.toNanos()) {
                watched.keepAlive();
              }
            }
          },
          response.head().ids().response());
    }
  }
}
