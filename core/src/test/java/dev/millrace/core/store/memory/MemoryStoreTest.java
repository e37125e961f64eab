package dev.millrace.core.store.memory;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.contract.StoreContract;
import dev.millrace.core.store.fixture.ContractSettings;

/** The executable specification passes its own contract. */
class MemoryStoreTest extends StoreContract {
  private final MemoryStoreFixture memory = new MemoryStoreFixture();

  @Override
  public JobStore open(ContractSettings settings) {
    return memory.open(settings);
  }

  @Override
  public Damage damage(JobId id) {
    return memory.damage(id);
  }
}
