package dev.millrace.core.store;

/** One place where jobs are kept, empty at first, and the way to open a store on it. */
public interface StoreFixture {

  /**
   * Opens the store. The first time it is empty; later it holds what was there, and the epoch is a
   * new one. The one that was open before has been closed or abandoned.
   */
  JobStore open(ContractSettings settings);

  /**
   * A crash: {@code store} is never called again, and is not closed. Frees what the death of its
   * process would free, such as a lock; writes nothing.
   */
  default void abandon(JobStore store) {}
}
