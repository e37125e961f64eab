package dev.millrace.core.store.memory;

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
}
