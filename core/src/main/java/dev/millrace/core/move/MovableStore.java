package dev.millrace.core.move;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.NoteStore;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store that jobs move out of, or into. The first is owned by this process and not served. Each
 * step is atomic, and durable when it returns.
 */
public interface MovableStore extends AutoCloseable {

  /** For messages, without a password. */
  String name();

  /** What no other store has; made when it is first asked for. */
  String identity();

  /** Throws if another process may own the store by now: this one may have been frozen. */
  void requireOwned();

  NoteStore notes();

  /** How many jobs are in each state. */
  Map<JobState, Integer> counts();

  /** Jobs in the order of their ids, after one. */
  List<JobId> jobs(@Nullable JobId after, int limit);

  /** The jobs that were taken out and are still kept here, moved or not. */
  void forEachTakenOut(Consumer<TakenOutJob> jobs);

  /**
   * Takes a job out: from then on it can be read by {@link #read} only. Tasks that run are released.
   *
   * @return null if there is no such job any more
   * @throws UnmovableJobException if it cannot be read
   */
  @Nullable TakenOutJob takeOut(JobId id, MoveDestination to);

  /** Gives the records of a job that was taken out. */
  void read(TakenOutJob job, Consumer<JobRecord> records);

  /** Puts a job back as it was before it was taken out. */
  void putBack(TakenOutJob job);

  /** Marks a job as moved. */
  void markMoved(TakenOutJob job);

  /** Deletes a job that is marked as moved. */
  void deleteMoved(TakenOutJob job);

  /** What a store knows of a job that is on its way to it. */
  enum Arrival {
    /** It was published here by this move of it. */
    ARRIVED,
    /** It was not, and its id is free. */
    ABSENT,
    /** Another job has its id. */
    OTHER
  }

  /**
   * Whether a job arrived here.
   *
   * @param from the identity of the store that it is on its way from
   */
  Arrival arrival(TakenOutJob job, String from);

  /**
   * Starts to assemble a job that is {@link Arrival#ABSENT} here.
   *
   * @param from the identity of the store that it is on its way from
   */
  JobAssembly assemble(TakenOutJob job, String from);

  /** The jobs that have arrived here from a store which may not know so yet. */
  List<JobId> arrivedFrom(String identity);

  /** The other store knows that the job has arrived. */
  void forgetArrival(JobId id);

  @Override
  void close();
}
