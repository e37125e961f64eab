package dev.millrace.server.http.so1;

import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.store.Reading;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What is no longer in a job's window: read from the store one by one, and held a while for those
 * who come along next. Thread-safe.
 */
final class Past {
  /** Bytes that are held at most, but for a chunk that has more by itself. */
  private static final int HELD = 256 << 10;

  private final Reading store;
  private final JobId id;
  private final Map<Long, Chunk> chunks = new HashMap<>(); // by the number before them
  private final Queue<Chunk> oldest = new ArrayDeque<>();
  private long bytes;

  Past(Reading store, JobId id) {
    this.store = store;
    this.id = id;
  }

  /** As {@link Feed#past}. */
  synchronized @Nullable Chunk chunk(long position, long last, long begun, Wording wording) {
    Chunk known = chunks.get(position);
    Chunk chunk = known == null ? read(position, last, begun, wording) : known;
    if (known == null && chunk != null) {
      hold(chunk);
    }
    return chunk;
  }

  private @Nullable Chunk read(long position, long last, long begun, Wording wording) {
    int limit = (int) Math.min(Chunk.ENTRIES, last - position);
    Chunk chunk = null;
    for (Entry entry : store.events(id, position, limit)) {
      byte[] frame = Frames.of(entry, begun, wording);
      if (chunk == null) {
        chunk = Chunk.of(entry.number(), frame);
      } else if (chunk.takes(frame)) {
        chunk = chunk.with(frame);
      } else {
        break;
      }
    }
    return chunk;
  }

  private void hold(Chunk chunk) {
    chunks.put(chunk.after(), chunk);
    oldest.add(chunk);
    bytes += chunk.bytes().length;
    while (bytes > HELD && oldest.size() > 1) {
      Chunk gone = oldest.remove();
      chunks.remove(gone.after());
      bytes -= gone.bytes().length;
    }
  }
}
