package dev.millrace.core.store;

/**
 * Where jobs live. One contract for a directory with one owner and for a database with many servers;
 * the kit {@code StoreContract} in this module's tests is what it means.
 */
public interface JobStore extends Submitting, Reading, Controls, Claiming, AutoCloseable {

  /** Lets go of everything held. Claims that were not answered are recovered by the next owner. */
  @Override
  void close();
}
