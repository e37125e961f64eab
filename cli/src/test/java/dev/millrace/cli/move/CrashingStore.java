package dev.millrace.cli.move;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.move.JobAssembly;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.MoveDestination;
import dev.millrace.core.move.TakenOutJob;
import dev.millrace.core.store.NoteStore;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store whose process is killed before or after one of its steps. */
final class CrashingStore implements MovableStore {
  /** Ends the process, as far as the mover can see. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** Counts the steps of both stores. */
  static final class Steps {
    private final int crashAt;
    private int taken;
    private boolean crashed;

    /**
     * @param crashAt which half step is the last one: even numbers are before a step
     */
    Steps(int crashAt) {
      this.crashAt = crashAt;
    }

    boolean crashed() {
      return crashed;
    }

    private <T> T run(Supplier<T> step) {
      here();
      T answer = step.get();
      here();
      return answer;
    }

    private void here() {
      if (crashed || taken++ == crashAt) {
        crashed = true;
        throw new Crash();
      }
    }
  }

  private final MovableStore store;
  private final Steps steps;

  CrashingStore(MovableStore store, Steps steps) {
    this.store = store;
    this.steps = steps;
  }

  private void run(Runnable step) {
    steps.run(
        () -> {
          step.run();
          return 0;
        });
  }

  @Override
  public String name() {
    return store.name();
  }

  @Override
  public String identity() {
    return store.identity();
  }

  @Override
  public void requireOwned() {
    store.requireOwned();
  }

  @Override
  public NoteStore notes() {
    return store.notes();
  }

  @Override
  public Map<JobState, Integer> counts() {
    return store.counts();
  }

  @Override
  public List<JobId> jobs(@Nullable JobId after, int limit) {
    return store.jobs(after, limit);
  }

  @Override
  public void forEachTakenOut(Consumer<TakenOutJob> jobs) {
    store.forEachTakenOut(jobs);
  }

  @Override
  public @Nullable TakenOutJob takeOut(JobId id, MoveDestination to) {
    return steps.run(() -> store.takeOut(id, to));
  }

  @Override
  public void read(TakenOutJob job, Consumer<JobRecord> records) {
    int[] count = {0};
    store.read(
        job,
        record -> {
          records.accept(record);
          if (++count[0] == 3) {
            steps.here();
          }
        });
  }

  @Override
  public void putBack(TakenOutJob job) {
    run(() -> store.putBack(job));
  }

  @Override
  public void markMoved(TakenOutJob job) {
    run(() -> store.markMoved(job));
  }

  @Override
  public void deleteMoved(TakenOutJob job) {
    run(() -> store.deleteMoved(job));
  }

  @Override
  public Arrival arrival(TakenOutJob job, String from) {
    return store.arrival(job, from);
  }

  @Override
  public JobAssembly assemble(TakenOutJob job, String from) {
    JobAssembly assembly = steps.run(() -> store.assemble(job, from));
    return new JobAssembly() {
      @Override
      public void accept(JobRecord record) {
        assembly.accept(record);
      }

      @Override
      public void complete() {
        run(assembly::complete);
      }

      @Override
      public void readBack(Consumer<JobRecord> records) {
        assembly.readBack(records);
      }

      @Override
      public boolean publish() {
        return steps.run(assembly::publish);
      }

      @Override
      public void close() {
        if (!steps.crashed()) {
          assembly.close();
        }
      }
    };
  }

  @Override
  public List<JobId> arrivedFrom(String identity) {
    return store.arrivedFrom(identity);
  }

  @Override
  public void forgetArrival(JobId id) {
    run(() -> store.forgetArrival(id));
  }

  @Override
  public void close() {
    store.close();
  }
}
