package dev.millrace.client;

import dev.millrace.api.SseEvent;
import dev.millrace.api.live.TaskOutput;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.NetworkException;
import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.OutputChunk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The texts of tasks for one who asks again and again: each is a stream that stays open between the
 * calls. Beyond a few at once, further texts come when others have ended. Thread-safe.
 */
final class FollowedTexts implements AutoCloseable {
  /** The most streams that are open. */
  static final int MAX_OPEN = 8;

  private static final int MAX_KNOWN = 1_000;

  private final TasksApi tasks;
  private final Map<UUID, FollowedText> texts =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, FollowedText> eldest) {
          boolean tooMany = size() > MAX_KNOWN;
          if (tooMany) {
            eldest.getValue().events.close();
          }
          return tooMany;
        }
      };

  private static final class FollowedText {
    private final ServerEventStream events;
    private long next;

    FollowedText(ServerEventStream events, long from) {
      this.events = events;
      this.next = from;
    }
  }

  FollowedTexts(TasksApi tasks) {
    this.tasks = tasks;
  }

  /** Whether a text is being followed now. */
  synchronized boolean isFollowing() {
    return open() > 0;
  }

  private long open() {
    return texts.values().stream().filter(text -> !text.events.isEnded()).count();
  }

  /** What has come since the last call; waits for nothing. */
  synchronized OutputSoFar read(UUID task, long from) {
    FollowedText text = texts.get(task);
    if (text != null && text.next != from) { // from elsewhere: begin there
      text.events.close();
      texts.remove(task);
      text = null;
    }
    if (text == null) {
      if (open() >= MAX_OPEN) {
        return new OutputSoFar(from, from, List.of());
      }
      text = new FollowedText(tasks.output(task, from), from);
      texts.put(task, text);
    }
    return read(text, from);
  }

  private static OutputSoFar read(FollowedText text, long asked) {
    long from = asked;
    List<OutputChunk> pieces = new ArrayList<>();
    for (Optional<SseEvent> event = poll(text); event.isPresent(); event = poll(text)) {
      if (event.get().event().equals("output")) {
        TaskOutput piece = TaskOutput.fromJson(event.get().json());
        if (piece.restarted()) {
          from = 0;
          pieces.clear();
        }
        pieces.add(new OutputChunk(List.of(), piece.text()));
        text.next = piece.next();
      }
    }
    return new OutputSoFar(from, text.next, pieces);
  }

  private static Optional<SseEvent> poll(FollowedText text) {
    try {
      return text.events.poll(Duration.ZERO);
    } catch (ApiException e) {
      if (e.isNotFound() || e.status() == 405) { // deleted, or a server that does not show texts
        text.events.close();
        return Optional.empty();
      }
      throw new StoreException(e.getMessage(), e);
    } catch (NetworkException e) {
      throw new StoreException(e.getMessage(), e);
    }
  }

  @Override
  public synchronized void close() {
    texts.values().forEach(text -> text.events.close());
  }
}
