package dev.millrace.core.store;

/** Keeps the contents of memory stores from one to the next. */
public final class MemoryFixture implements StoreFixture {
  private final MemoryReading.Contents contents = new MemoryReading.Contents();

  @Override
  public JobStore open(ContractSettings settings) {
    return new MemoryStore(settings, contents);
  }
}
