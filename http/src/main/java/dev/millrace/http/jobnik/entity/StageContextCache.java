package dev.millrace.http.jobnik.entity;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers the lineages that were asked for last: a worker's way through a stage of many tasks
 * must not read the job for each of them. Thread-safe.
 */
public final class StageContextCache {
  private static final int MOST = 10_000;

  /** Characters of data that are remembered in all. */
  private static final long MOST_CHARACTERS = 16L << 20;

  private record Remembered(StageContext lineage, int characters) {}

  private final JobReader store;
  private final Map<EntityId, Remembered> last = new LinkedHashMap<>(64, 0.75f, true);
  private long characters;

  public StageContextCache(JobReader store) {
    this.store = store;
  }

  /** Of a stage that may be gone: then it has nothing from above. */
  public StageContext of(JobId job, int stage) {
    EntityId key = EntityId.of(job, stage);
    synchronized (this) {
      Remembered known = last.get(key);
      if (known != null) {
        return known.lineage();
      }
    }
    JobView view = store.find(job).orElse(null);
    if (view == null || view.stages().size() < stage) {
      return new StageContext(job, stage, "", JsonObject.create(), null);
    }
    StageContext lineage = StageContext.of(view, view.stages().get(stage - 1));
    remember(key, new Remembered(lineage, lineage.jobData().toString().length()));
    return lineage;
  }

  private synchronized void remember(EntityId key, Remembered lineage) {
    Remembered before = last.put(key, lineage);
    characters += lineage.characters() - (before == null ? 0 : before.characters());
    Iterator<Remembered> oldest = last.values().iterator();
    while (last.size() > MOST || characters > MOST_CHARACTERS) {
      characters -= oldest.next().characters();
      oldest.remove();
    }
  }
}
