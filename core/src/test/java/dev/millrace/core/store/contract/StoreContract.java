package dev.millrace.core.store.contract;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.StoreFixture;
import org.junit.jupiter.api.Nested;

/**
 * What it means to be a {@link JobStore}. A store's test extends this class, says how a fresh store
 * is opened, and has all topics:
 *
 * <pre>
 * class FsStoreTest extends StoreContract {
 *   {@literal @}TempDir Path dir;
 *   {@literal @}Override public JobStore open(ContractSettings settings) { … }
 *   {@literal @}Override public void abandon(JobStore store) { … }
 * }
 * </pre>
 *
 * Where the interfaces are silent, the kit decides:
 *
 * <ul>
 *   <li>An id is taken from the settings once for each job that is accepted. {@code createdAt} is
 *       the clock's time at submission, in whole microseconds, and so is the time of every entry.
 *   <li>A job is kept as its {@code JobDocument}; numbers are what {@code Json} reads them as.
 *   <li>An input over {@code JobSpec.MAX_PROMPT_BYTES} bytes is an IllegalArgumentException.
 *   <li>Claim order: jobs by {@code Priority.queueRank(createdAt)}, then id; inside a job by stage, then
 *       task number, PENDING and RETRIED alike.
 *   <li>What is due is judged by the clock as it is, even where it was set back; entries are
 *       recorded at {@code JobUpdate.now()}. Due is what ends at or before now.
 *   <li>{@code sweep} goes through a job's tasks by stage and number: run timeout ({@code
 *       Claims.overrun}), queue timeout ({@code ClaimRules.expire}), lost lease ({@code ClaimRules.recordLoss}
 *       of a lease). It counts those, not what is aborted in consequence. A lease that ends later
 *       than it could is of a clock that was set back since: a sweep lets it begin anew.
 *   <li>{@code heartbeat} renews the lease by its length even if it ran out, as long as no sweep
 *       took it. Progress is recorded only where recoveries count that it can forgive. Of an
 *       unknown job it is LOST.
 *   <li>{@code journal} is also a heartbeat with progress. Without terms, a journal is that of one
 *       claim. Positions in a draft mean nothing but to the store, and none is that of another
 *       journal.
 *   <li>{@code onLever} hears of a job that comes to PAUSED, ABORTED or FAILED, or a stage to WAITING,
 *       while a task of the job is IN_PROGRESS.
 *   <li>{@code queuePlace}: in line are jobs of any type that have a task in the queue, be it in its
 *       backoff, of an open stage; a place has who is PENDING and in line.
 *   <li>{@code log} of a claim that is not the present one records nothing.
 *   <li>Opening after a crash and opening after a clean close are the same: what runs without a
 *       lease is recovered, and every lease begins anew, all of its time.
 *   <li>{@code spec} is what was asked with all that was added since, so a stage's number is its
 *       place in it; a priority and metadata that were changed are in the views alone.
 *   <li>What is added or described is kept as {@code Json} reads it. Adding nothing to a stage that
 *       has tasks, or is closed, is done, and changes nothing. A template cannot be added; {@code
 *       each} can.
 *   <li>{@code census}: pending and retried are tasks in the queue of an open stage of an open job,
 *       running are all that are IN_PROGRESS; a line that would count nothing is left out.
 *   <li>{@code onChange}: by the time a verb returns, its change was told. What changed nothing is
 *       not told; a job that was deleted may be.
 *   <li>{@code awaitWork} answers another number than {@code seen} after whatever may have made a
 *       task claimable; a backoff's end it notices when it is asked again at the latest.
 *   <li>Names that a {@code NoteStore} refuses are an IllegalArgumentException of every verb.
 *   <li>{@code each} makes a task of every COMPLETED task of the previous stage. A template without
 *       an answer: {@code new Opening(stage.size(), message)} with the exception's message, and the
 *       inputs stay as they were asked for.
 *   <li>{@code idle}: no task of the types is IN_PROGRESS, whatever its job's state, and none stands
 *       in the queue of an open stage of an open job, be it in its backoff.
 *   <li>{@code list} is in the order of ids, oldest first also where it keeps the newest. {@code
 *       counts} may leave zeros out. {@code tasks} and {@code events} of what is unknown are empty.
 *   <li>{@code prune} deletes final jobs whose {@code completedAt} is before the time given; states
 *       that are not final are ignored.
 * </ul>
 */
public abstract class StoreContract implements StoreFixture {

  @Nested
  class Submitting extends SubmitContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Claiming extends ClaimContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Answering extends OutcomeContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Journals extends JournalContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Queue extends QueuePositionContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Levers extends LeverContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Gates extends GateContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Stages extends StageContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Time extends TimeoutContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Recovery extends RecoveryContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Reading extends ReadContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Growth extends OpenJobContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Amendments extends JobChangeContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class GrowthRules extends OpenJobRulesContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Leases extends LeaseContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Notes extends NoteStoreContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Depth extends JsonDepthContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Watching extends NotificationContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Concurrency extends ConcurrencyContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class Randomly extends RandomContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }
}
