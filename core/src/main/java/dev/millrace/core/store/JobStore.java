package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import java.util.function.Consumer;

/**
 * Where jobs live. One contract for a directory with one owner and for a database with many servers;
 * the kit {@code StoreContract} in this module's tests is what it means.
 */
public interface JobStore
    extends JobSubmitter, JobReader, JobControls, TaskQueue, NoteStore, AutoCloseable {

  /**
   * Tells {@code watcher} of each job to whose log something was added or whose state changed, as
   * soon as that is durable: many changes may be told as one, none is left out, but for a change
   * that another process made just before a crash. On the thread that changed it: it should only
   * pass the word on, and must not throw.
   */
  Subscription onChange(Consumer<JobId> watcher);

  /**
   * Lets go of everything held. Claims that were not answered are recovered by the next owner, but
   * for those with a lease: they stay with their workers.
   */
  @Override
  void close();
}
