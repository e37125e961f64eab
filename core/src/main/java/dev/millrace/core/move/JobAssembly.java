package dev.millrace.core.move;

import java.util.function.Consumer;

/**
 * A job that is being assembled in the store that it moves to. Nobody sees it before it is
 * published. It accepts the records of the job in their order.
 *
 * <p>{@link #accept} and {@link #complete} throw {@link UnmovableJobException} for what the store
 * cannot hold.
 */
public interface JobAssembly extends Consumer<JobRecord>, AutoCloseable {

  /** All records were given: they can be read back. */
  void complete();

  /** Gives the records of the job as they were stored. */
  void readBack(Consumer<JobRecord> records);

  /**
   * Makes the job visible, with its note of arrival; durable when this returns. If it throws, the
   * job may be visible.
   *
   * @return false if there is another job with this id: nothing was changed
   */
  boolean publish();

  /** Deletes what was assembled, unless it was published. */
  @Override
  void close();
}
