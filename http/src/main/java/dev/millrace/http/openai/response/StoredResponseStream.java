package dev.millrace.http.openai.response;

import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.http.job.JobSignals.Watch;
import dev.millrace.http.job.OutputPacer;
import dev.millrace.http.openai.response.store.ResponseReplay;
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
 * client and at the store with each keep-alive only, unless another server may be making output.
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
    OutputPacer pacer = new OutputPacer(backend.signals().missOutput());
    try (Watch watch = backend.signals().watch(response.job())) {
      ResponseReplay replay = backend.responses().replay(response, writer::add);
      writer.writeAll(
          () -> {
            for (Look look = look(replay); look != Look.END; look = look(replay)) {
              long before = sent[0];
              writer.flush();
              Duration quiet = KEEP_ALIVE.minusNanos(System.nanoTime() - sent[0]);
              watch.await(
                  look == Look.FAILED
                      ? pacer.waitAfterFailure(quiet)
                      : pacer.wait(replay.isRunning(), sent[0] != before, quiet));
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

  /** What a look at the store has found. */
  private enum Look {
    END,
    NO_END,
    FAILED
  }

  /** A store that fails as a whole, such as a database that restarts, may soon work again. */
  private static Look look(ResponseReplay replay) {
    try {
      return replay.advance().isPresent() ? Look.END : Look.NO_END;
    } catch (StoreException e) {
      if (e.trouble() != Trouble.FAILING) {
        throw e;
      }
      return Look.FAILED;
    }
  }
}
