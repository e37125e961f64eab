package dev.millrace.core.store.contract;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.StoreFixture;
import dev.millrace.core.store.random.RandomContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The contract of a {@link JobStore}. A store's test extends this class and says how a new store is
 * opened; it then runs all topics:
 *
 * <pre>
 * class FsStoreTest extends StoreContract {
 *   {@literal @}TempDir Path dir;
 *   {@literal @}Override public JobStore open(ContractSettings settings) { … }
 *   {@literal @}Override public void abandon(JobStore store) { … }
 * }
 * </pre>
 *
 * Where the interfaces do not say, the kit decides:
 *
 * <ul>
 *   <li>An id is taken from the settings once for each job that is accepted. {@code createdAt} is
 *       the clock's time at submission, in whole microseconds, and so is the time of every entry.
 *   <li>A job is kept as its {@code JobDocument}; numbers are what {@code Json} reads them as.
 *   <li>An input over {@code JobSpec.MAX_PROMPT_BYTES} bytes is an IllegalArgumentException.
 *   <li>Claim order: jobs by {@code Priority.queueRank(createdAt)}, then id; inside a job by stage,
 *       then task number, PENDING and RETRIED alike.
 *   <li>What is due is decided by monotonic time while a store is open, whatever the wall clock says;
 *       entries are recorded at {@code JobUpdate.now()}. Due is what ends at or before now. A store
 *       that is opened counts queue timeouts and backoffs on by wall time; leases and run timeouts
 *       of claims that outlive the last one start again.
 *   <li>{@code sweep} goes through a job's tasks by stage and number: run timeout
 *       ({@code ClaimRules.failOverrun}), queue timeout ({@code ClaimRules.expire}), lost lease
 *       ({@code ClaimRules.recordLoss} of a lease). It counts those, not what is aborted as a
 *       consequence.
 *   <li>{@code heartbeat} renews the lease by its length even if it has expired, until a sweep ends
 *       the claim. Progress is recorded only if it resets recoveries that count. For an unknown job
 *       the signal is LOST.
 *   <li>{@code appendJournal} is also a heartbeat with progress. Without frozen terms, a journal
 *       belongs to one claim. Only the store knows what the positions in an output mean, and no
 *       position is valid in another journal.
 *   <li>{@code onLever} is called for a job that gets PAUSED, ABORTED or FAILED, or whose stage
 *       gets WAITING, while a task of the job is IN_PROGRESS.
 *   <li>{@code queuePosition}: jobs of any type are in the queue that have a queued task of an open
 *       stage, even in its backoff; a PENDING job in the queue has a position.
 *   <li>{@code log} with a claim that is not the present one records nothing.
 *   <li>{@code LogLimits} bound what is added to a log; they refuse or cut additions and notes, and
 *       never refuse a transition.
 *   <li>Opening after a crash and opening after a clean close are the same: running tasks without a
 *       lease are recovered, and every lease restarts in full.
 *   <li>{@code spec} is the job as submitted with all that was added since, so that a stage's
 *       number is its index in it; a changed priority and changed metadata are only in the views.
 *   <li>What is added, and new metadata, is kept as {@code Json} reads it. Adding nothing to a
 *       stage that has tasks or is closed is done and changes nothing. A template cannot be added;
 *       {@code each} can.
 *   <li>{@code queueStats}: pending and retried are queued tasks of an open stage of an open job,
 *       running are all tasks that are IN_PROGRESS; an entry that would count nothing is left out.
 *   <li>{@code onChange}: watchers are called before the method that made the change returns. They
 *       are not called if nothing changed; they may be called for a deleted job.
 *   <li>{@code awaitWork} returns another number than {@code seen} after anything that may have
 *       made a task claimable; the end of a backoff it notices at the next call at the latest.
 *   <li>Names that a {@code NoteStore} refuses are an IllegalArgumentException of every method.
 *   <li>{@code each} makes a task of every COMPLETED task of the previous stage. If a template
 *       cannot be rendered: {@code new Opening(stage.size(), message)} with the exception's
 *       message, and the inputs stay as submitted.
 *   <li>{@code isIdle}: no task of the types is IN_PROGRESS, in any state of its job, and none is
 *       queued in an open stage of an open job, even in its backoff.
 *   <li>{@code list} is in the order of ids, oldest first also if it keeps the newest.
 *       {@code counts} may leave zeros out. {@code tasks} and {@code events} of unknown jobs are
 *       empty.
 *   <li>{@code retry}: the entries of what is adopted follow {@code submit}, with the time of the
 *       submission. Terms are frozen before their task is adopted. What follows from the whole is
 *       recorded after that, by the owner.
 *   <li>{@code prune} deletes final jobs whose {@code completedAt} is before the given time; states
 *       that are not final are ignored.
 *   <li>A job that cannot be read keeps its state and its place. Methods that have to read it are a
 *       {@code JobException}; claims and sweeps leave it out; an ended one can be deleted.
 *   <li>After {@code close} every method that may write is a {@code StoreException.Closed} and
 *       changes nothing; what is read may be out of date.
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
  class Clocks extends ClockContract {
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
  class Retries extends RetryContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  class RetryTexts extends RetryTemplatesContract {
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
  class ValueLimits extends ValueLimitsContract {
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
  @Tag("slow")
  class Concurrency extends ConcurrencyContract {
    @Override
    StoreFixture fixture() {
      return StoreContract.this;
    }
  }

  @Nested
  @Tag("slow")
  class Randomly extends RandomContract {
    @Override
    protected StoreFixture fixture() {
      return StoreContract.this;
    }
  }
}
