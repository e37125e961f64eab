package dev.millrace.core.store;

/** The executable specification keeps its own contract. */
class MemoryStoreTest extends StoreContract {
  private final MemoryFixture memory = new MemoryFixture();

  @Override
  public JobStore open(ContractSettings settings) {
    return memory.open(settings);
  }
}
