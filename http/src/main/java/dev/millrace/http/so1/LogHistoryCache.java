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
 * Reads the entries that are no longer in the {@link LogTail} of a job, and caches them for other
 * streams. Thread-safe.
 */
final class LogHistoryCache {
  /** The most bytes in the cache, except for a single larger chunk. */
  private static final int MAX_BYTES = 256 << 10;

  private final JobReader store;
  private final JobId id;

  /** By the number before their first entry. */
  private final Map<Long, SseChunk> chunks = new HashMap<>();

  private final Queue<SseChunk> oldest = new ArrayDeque<>();
  private long bytes;

  LogHistoryCache(JobReader store, JobId id) {
    this.store = store;
    this.id = id;
  }

  /** As {@link LogFeed#history}. */
  synchronized @Nullable SseChunk load(
      long position, long last, long startEntry, LogLineFormatter formatter) {
    SseChunk known = chunks.get(position);
    SseChunk chunk = known == null ? read(position, last, startEntry, formatter) : known;
    if (known == null && chunk != null) {
      add(chunk);
    }
    return chunk;
  }

  private @Nullable SseChunk read(
      long position, long last, long startEntry, LogLineFormatter formatter) {
    int limit = (int) Math.min(SseChunk.ENTRIES, last - position);
    SseChunk chunk = null;
    for (LogEntry entry : store.events(id, position, limit)) {
      byte[] frame = SseFrames.of(entry, startEntry, formatter);
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

  private void add(SseChunk chunk) {
    chunks.put(chunk.after(), chunk);
    oldest.add(chunk);
    bytes += chunk.bytes().length;
    while (bytes > MAX_BYTES && oldest.size() > 1) {
      SseChunk removed = oldest.remove();
      chunks.remove(removed.after());
      bytes -= removed.bytes().length;
    }
  }
}
