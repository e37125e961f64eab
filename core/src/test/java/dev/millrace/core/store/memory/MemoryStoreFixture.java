package dev.millrace.core.store.memory;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.StoreFixture;

/** Keeps the contents of a memory store for the next one. */
public final class MemoryStoreFixture implements StoreFixture {
  private final MemoryReader.Contents contents = new MemoryReader.Contents();

  @Override
  public JobStore open(ContractSettings settings) {
    return new MemoryStore(settings, contents);
  }
}
