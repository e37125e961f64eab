package dev.millrace.core.store.memory;

import dev.millrace.core.event.Fact.Opening;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.store.StoredJob;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.time.LogTimes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A job of a store in memory, with a fold of its own. */
final class MemoryStoredJob extends StoredJob {
  final MemoryJob kept;

  /** Tasks that are kept with the next entries, by stage. */
  final Map<Integer, List<TaskSpec>> added = new HashMap<>();

  MemoryStoredJob(MemoryJob kept, LogTimes times) {
    super(kept.id, Threading.SYSTEM);
    this.kept = kept;
    JobFold fold = kept.emptyFold(this, times);
    kept.log.forEach(fold::apply);
    loaded(fold);
  }

  @Override
  public JobHeader header() {
    return JobHeader.of(id(), kept.submitted);
  }

  @Override
  public Opening resolve(StageFold stage) {
    return kept.open(fold(), stage);
  }
}
