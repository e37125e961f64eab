package dev.millrace.http.inference;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.stream.EventStream;
import dev.millrace.http.transport.ClientGoneException;
import dev.millrace.server.infer.CompileCaller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for events of a request, and notices meanwhile that its client has disconnected: nothing is
 * computed for nobody. Used by one thread.
 */
public final class ClientWatch {
  /** How often a client is probed while it is sent nothing. */
  private static final Duration PROBE = Duration.ofMillis(250);

  private final ApiRequest request;
  private final Duration keepAlive;
  private final LongSupplier clock;
  private long probed;
  private long sent;

  /** What to do when nothing was sent for the time of a keep-alive. */
  @FunctionalInterface
  public interface KeepAlive {
    void send() throws IOException;
  }

  /**
   * @param keepAlive the longest silence of a stream
   * @param clock nanoseconds
   */
  public ClientWatch(ApiRequest request, Duration keepAlive, LongSupplier clock) {
    this.request = request;
    this.keepAlive = keepAlive;
    this.clock = clock;
    this.probed = clock.getAsLong();
    this.sent = probed;
  }

  /** Watches the client of a request that is not streamed. */
  public static ClientWatch of(ApiRequest request) {
    return new ClientWatch(request, PROBE, System::nanoTime);
  }

  /** The same stream, which reports here what it sends. */
  public EventStream watched(EventStream events) {
    return new EventStream(
        bytes -> {
          events.sink().send(bytes);
          sent();
        });
  }

  private void sent() {
    sent = clock.getAsLong();
  }

  /**
   * Waits for the next event, however long that takes.
   *
   * @param silence called when nothing was sent for the time of a keep-alive; null: never
   * @throws ClientGoneException if the client disconnected
   */
  public ChoiceEvent next(ChoiceStream choices, @Nullable KeepAlive silence)
      throws IOException, InterruptedException {
    while (true) {
      probe();
      breakSilence(silence); // also while events come of which the client sees nothing
      Optional<ChoiceEvent> event = choices.next(slice());
      if (event.isPresent()) {
        return event.get();
      }
    }
  }

  private void breakSilence(@Nullable KeepAlive silence) throws IOException {
    if (silence != null && clock.getAsLong() - sent >= keepAlive.toNanos()) {
      silence.send();
      sent();
    }
  }

  /**
   * Waits for the first event, at most for the time of a keep-alive; it stays in the stream.
   *
   * @throws ClientGoneException if the client disconnected
   */
  public Optional<ChoiceEvent> first(ChoiceStream choices) throws InterruptedException {
    while (clock.getAsLong() - sent < keepAlive.toNanos()) {
      probe();
      Optional<ChoiceEvent> event = choices.peek(slice());
      if (event.isPresent()) {
        return event;
      }
    }
    return Optional.empty();
  }

  /**
   * Runs something that the client waits for, on a thread of its own, and interrupts it when the
   * client disconnects.
   *
   * @throws ClientGoneException if the client disconnected
   */
  public <T> T run(Callable<T> action) throws InterruptedException {
    try {
      return run(action, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // nothing is sent
    }
  }

  /**
   * As the other method, for a stream.
   *
   * @param silence called when nothing was sent for the time of a keep-alive; null: never
   */
  public <T> T run(Callable<T> action, @Nullable KeepAlive silence)
      throws IOException, InterruptedException {
    FutureTask<T> task = new FutureTask<>(action);
    Thread thread = MonitoredThreads.virtualWork().start(CompileCaller.carried(task));
    try {
      while (true) {
        probe();
        breakSilence(silence);
        try {
          return task.get(slice().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          // it takes longer: look at the client again
        }
      }
    } catch (ExecutionException e) {
      throw unchecked(e.getCause());
    } finally {
      thread.interrupt(); // does nothing unless the client left, or this thread is interrupted
    }
  }

  private static RuntimeException unchecked(Throwable problem) throws InterruptedException {
    switch (problem) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case InterruptedException e -> throw e;
      default -> throw new IllegalStateException(problem);
    }
  }

  private Duration slice() {
    return keepAlive.compareTo(PROBE) < 0 ? keepAlive : PROBE;
  }

  private void probe() {
    long now = clock.getAsLong();
    if (now - probed >= slice().toNanos()) {
      probed = now;
      if (request.isClientGone()) {
        throw new ClientGoneException(false, null);
      }
    }
  }
}
