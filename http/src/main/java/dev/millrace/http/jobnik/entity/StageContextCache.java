package dev.millrace.http.jobnik.entity;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.task.TraceContext;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Caches the contexts of the stages used last, so that the job is not read for each task of a
 * stage. Thread-safe.
 */
public final class StageContextCache {
  private static final int MAX_ENTRIES = 10_000;

  /** The most characters of job data in the cache. */
  private static final long MAX_CHARACTERS = 16L << 20;

  private record CachedContext(StageContext context, int characters) {}

  private final JobReader store;
  private final Map<EntityId, CachedContext> cache = new LinkedHashMap<>(64, 0.75f, true);
  private long characters;

  public StageContextCache(JobReader store) {
    this.store = store;
  }

  /** The context of a stage; an empty one if the stage was deleted. */
  public StageContext of(JobId job, int stage) {
    EntityId key = EntityId.of(job, stage);
    synchronized (this) {
      CachedContext known = cache.get(key);
      if (known != null) {
        return known.context();
      }
    }
    JobView view = store.find(job).orElse(null);
    if (view == null || view.stages().size() < stage) {
      return new StageContext(
          job, stage, "", JsonObject.create(), TraceContext.derivedFrom(job.value()));
    }
    StageContext context = StageContext.of(view, view.stages().get(stage - 1));
    add(key, new CachedContext(context, context.jobData().toString().length()));
    return context;
  }

  private synchronized void add(EntityId key, CachedContext added) {
    CachedContext before = cache.put(key, added);
    characters += added.characters() - (before == null ? 0 : before.characters());
    Iterator<CachedContext> oldest = cache.values().iterator();
    while (cache.size() > MAX_ENTRIES || characters > MAX_CHARACTERS) {
      characters -= oldest.next().characters();
      oldest.remove();
    }
  }
}
