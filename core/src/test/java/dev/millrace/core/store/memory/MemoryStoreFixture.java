package dev.millrace.core.store.memory;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.StoreFixture;

/** Keeps the contents of a memory store for the next one. */
public final class MemoryStoreFixture implements StoreFixture {
  private final MemoryContents contents = new MemoryContents();

  @Override
  public JobStore open(ContractSettings settings) {
    contents.restart();
    return MemoryStore.open(settings, contents, contents.join());
  }

  /** Ends its background thread, as the end of its process would; nothing is written. */
  @Override
  public void abandon(JobStore store) {
    if (store instanceof MemoryStore own) {
      own.close();
    }
  }

  @Override
  public Damage damage(JobId id) {
    synchronized (contents) {
      contents.damaged.add(id);
    }
    return () -> {
      synchronized (contents) {
        contents.damaged.remove(id);
      }
    };
  }
}
