package dev.millrace.http.so1;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What is no longer in a job's window: read from the store one by one, and held a while for those
 * who come along next. Thread-safe.
 */
final class LogHistoryCache {
  /** Bytes that are held at most, but for a chunk that has more by itself. */
  private static final int HELD = 256 << 10;

  private final JobReader store;
  private final JobId id;
  private final Map<Long, SseChunk> chunks = new HashMap<>(); // by the number before them
  private final Queue<SseChunk> oldest = new ArrayDeque<>();
  private long bytes;

  LogHistoryCache(JobReader store, JobId id) {
    this.store = store;
    this.id = id;
  }

  /** As {@link LogFeed#history}. */
  synchronized @Nullable SseChunk load(
      long position, long last, long begun, LogLineFormatter wording) {
    SseChunk known = chunks.get(position);
    SseChunk chunk = known == null ? read(position, last, begun, wording) : known;
    if (known == null && chunk != null) {
      hold(chunk);
    }
    return chunk;
  }

  private @Nullable SseChunk read(long position, long last, long begun, LogLineFormatter wording) {
    int limit = (int) Math.min(SseChunk.ENTRIES, last - position);
    SseChunk chunk = null;
    for (LogEntry entry : store.events(id, position, limit)) {
      byte[] frame = SseFrames.of(entry, begun, wording);
      if (chunk == null) {
        chunk = SseChunk.of(entry.number(), frame);
      } else if (chunk.hasRoomFor(frame)) {
        chunk = chunk.append(frame);
      } else {
        break;
      }
    }
    return chunk;
  }

  private void hold(SseChunk chunk) {
    chunks.put(chunk.after(), chunk);
    oldest.add(chunk);
    bytes += chunk.bytes().length;
    while (bytes > HELD && oldest.size() > 1) {
      SseChunk gone = oldest.remove();
      chunks.remove(gone.after());
      bytes -= gone.bytes().length;
    }
  }
}
