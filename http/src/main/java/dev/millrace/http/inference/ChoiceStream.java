package dev.millrace.http.inference;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.server.infer.CompileCaller;
import dev.millrace.server.infer.direct.AnswerEvent;
import dev.millrace.server.infer.direct.DirectGeneration;
import dev.millrace.server.infer.direct.DirectRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The choices of one request, generated side by side: their events in the order in which they
 * happen. A virtual thread follows each choice, so that one that waits for its model, or for a
 * batch slot, holds up no other. One thread reads; any thread may close it.
 */
public final class ChoiceStream implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofHours(1);
  private static final int BUFFERED = 256;

  private final BlockingQueue<ChoiceEvent> events = new ArrayBlockingQueue<>(BUFFERED);
  private final List<Thread> followers = new ArrayList<>();
  private @Nullable ChoiceEvent peeked;
  private int open;

  private ChoiceStream(int open) {
    this.open = open;
  }

  /** Starts all choices. */
  public static ChoiceStream start(GenerationSource source, List<DirectRequest> requests) {
    ChoiceStream stream = new ChoiceStream(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      int choice = i;
      DirectRequest request = requests.get(i);
      stream.followers.add(
          MonitoredThreads.virtualWork()
              .start(CompileCaller.carried(() -> stream.follow(source, request, choice))));
    }
    return stream;
  }

  /** Whether choices have not ended yet. */
  public boolean isOpen() {
    return open > 0;
  }

  /**
   * Waits for the next event.
   *
   * @return empty if none came in that time
   */
  public Optional<ChoiceEvent> next(Duration atMost) throws InterruptedException {
    ChoiceEvent event = peeked;
    peeked = null;
    if (event == null) {
      event = events.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }
    if (event != null && isLast(event)) {
      open--;
    }
    return Optional.ofNullable(event);
  }

  /** As {@link #next}, but the event stays. */
  public Optional<ChoiceEvent> peek(Duration atMost) throws InterruptedException {
    if (peeked == null) {
      peeked = events.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }
    return Optional.ofNullable(peeked);
  }

  private static boolean isLast(ChoiceEvent event) {
    return switch (event) {
      case ChoiceEvent.Accepted _ -> false;
      case ChoiceEvent.Answered answered -> answered.event() instanceof AnswerEvent.Ended;
      case ChoiceEvent.Failed _ -> true;
    };
  }

  private void follow(GenerationSource source, DirectRequest request, int choice) {
    try {
      try (DirectGeneration generation = source.generate(request)) {
        events.put(new ChoiceEvent.Accepted(choice, generation.model(), generation.promptTokens()));
        pass(generation, choice);
      } catch (RuntimeException | Error e) { // the reader answers with it
        events.put(new ChoiceEvent.Failed(choice, e));
      }
    } catch (InterruptedException e) {
      // closed: nobody reads any more
    }
  }

  private void pass(DirectGeneration generation, int choice) throws InterruptedException {
    while (true) {
      Optional<AnswerEvent> event = generation.next(PATIENCE);
      if (event.isPresent()) {
        events.put(new ChoiceEvent.Answered(choice, event.get()));
        if (event.get() instanceof AnswerEvent.Ended) {
          return;
        }
      }
    }
  }

  /** Cancels what has not ended. */
  @Override
  public void close() {
    followers.forEach(Thread::interrupt);
  }
}
