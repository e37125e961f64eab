package dev.millrace.core.store.memory;

import dev.millrace.core.internal.concurrent.StoreFence;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.store.JobSizeLimits;
import dev.millrace.core.internal.store.RepositoryJobStore;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.fixture.ContractSettings;
import java.util.List;

/**
 * A store in memory: every answer by a full search, nothing kept beside the logs. Slow on purpose;
 * other stores are compared with it.
 */
public final class MemoryStore extends RepositoryJobStore<MemoryStoredJob> {
  private final ContractSettings settings;
  private final MemoryRepository repository;

  /** Opens a store on {@code contents}: folds every log and recovers running tasks. */
  static MemoryStore open(ContractSettings settings, MemoryContents contents, long epoch) {
    MemoryStore store = new MemoryStore(settings, new MemoryRepository(settings, contents, epoch));
    List.copyOf(contents.jobs.keySet()).forEach(store::recover);
    return store;
  }

  private void recover(JobId id) {
    try {
      updater().touch(id);
    } catch (JobException e) {
      // it is in quarantine
    }
  }

  private MemoryStore(ContractSettings settings, MemoryRepository repository) {
    super(repository, settings.random(), new StoreFence(Threading.SYSTEM));
    this.settings = settings;
    this.repository = repository;
  }

  @Override
  public JobId submit(JobSpec spec) {
    JobSizeLimits.requireJob(spec);
    JobId id = settings.ids().get();
    submit(spec, id);
    return id;
  }

  @Override
  public boolean submit(JobSpec spec, JobId id) {
    JobSizeLimits.requireJob(spec);
    return fence()
        .call(
            () -> {
              boolean fresh = repository.insert(id, spec);
              if (fresh) {
                updater().touch(id); // an empty first stage completes
                updater().notifier().changed(id);
              }
              return fresh;
            });
  }

  @Override
  public RetryResult retry(RetryRequest request) {
    return fence()
        .call(
            () -> {
              RetryResult result = repository.retry(request, settings.ids());
              if (result.fresh()) {
                updater().touch(result.id()); // a stage that is adopted whole completes
                updater().notifier().changed(result.id());
              }
              return result;
            });
  }

  /** How many jobs are in memory beside what is kept. */
  int loadedJobs() {
    return updater().jobs().all().size();
  }

  @Override
  public void close() {
    super.close();
    repository.index().close();
  }
}
