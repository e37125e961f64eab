package dev.millrace.cli.place;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the frozen terms of a job's tasks in its log. */
final class LoggedTerms {
  private static final int PAGE = 1_000;

  private LoggedTerms() {}

  /** A second freezing of a task replaces the first. */
  static Map<EntityId, JsonObject> of(JobReader reader, JobId id) {
    Map<EntityId, JsonObject> terms = new HashMap<>();
    long after = 0;
    for (List<LogEntry> page = reader.events(id, after, PAGE);
        !page.isEmpty();
        page = reader.events(id, after, PAGE)) {
      for (LogEntry entry : page) {
        if (entry.fact() instanceof Fact.TermsFrozen(int stage, int task, JsonObject own)) {
          terms.put(new EntityId(id, stage, task), own);
        }
      }
      after = page.getLast().number();
    }
    return terms;
  }
}
