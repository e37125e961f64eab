package dev.millrace.server.infer;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds the frozen terms of a job's tasks in its log. A second freezing replaces the first. */
public final class LoggedTerms {
  private static final int PAGE = 1_000;

  private LoggedTerms() {}

  /** The terms of all tasks of a job; tasks that no model has started have none. */
  public static Map<EntityId, JsonObject> of(JobReader reader, JobId id) {
    Map<EntityId, JsonObject> terms = new HashMap<>();
    each(
        reader,
        id,
        found -> terms.put(new EntityId(id, found.stage(), found.task()), found.terms()));
    return terms;
  }

  /** The terms of one task; null if no model has started it. */
  public static @Nullable JsonObject of(JobReader reader, EntityId task) {
    @Nullable JsonObject[] terms = {null};
    each(
        reader,
        task.job(),
        found -> {
          if (found.stage() == task.stage() && found.task() == task.task()) {
            terms[0] = found.terms();
          }
        });
    return terms[0];
  }

  private static void each(JobReader reader, JobId id, Consumer<Fact.TermsFrozen> visitor) {
    long after = 0;
    for (List<LogEntry> page = reader.events(id, after, PAGE);
        !page.isEmpty();
        page = reader.events(id, after, PAGE)) {
      for (LogEntry entry : page) {
        if (entry.fact() instanceof Fact.TermsFrozen found) {
          visitor.accept(found);
        }
      }
      after = page.getLast().number();
    }
  }
}
