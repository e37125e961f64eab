package dev.millrace.store.postgres.internal.server;

import dev.millrace.core.internal.concurrent.StoreFence;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.store.RepositoryJobStore;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.LeaderLease;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.LeaderLeases;
import dev.millrace.store.postgres.internal.db.ServerLease;
import dev.millrace.store.postgres.internal.db.ServerLease.Role;
import dev.millrace.store.postgres.internal.jobs.PostgresJob;
import dev.millrace.store.postgres.internal.jobs.PostgresRepository;
import dev.millrace.store.postgres.internal.jobs.PostgresSubmitter;
import dev.millrace.store.postgres.internal.move.PostgresMovableStore;
import dev.millrace.store.postgres.internal.read.ServerRows;
import dev.millrace.store.postgres.internal.server.ServerThreads.LeaseListener;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The jobs of a database, for one of the servers that share it. Thread-safe. */
public final class PostgresStore extends RepositoryJobStore<PostgresJob> {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final PostgresRepository repository;
  private final PostgresSubmitter submitter;
  private final ServerLease server;
  private final LeaderLeases leaders;
  private final ServerThreads threads;
  private final RejoinRecovery recovery;
  private final LeaseListener leaseListener;
  private volatile @Nullable Announcement announcement;

  /** What a server has said of itself. */
  private record Announcement(JsonObject info, boolean ready) {}

  private PostgresStore(
      StoreOptions options,
      PostgresRepository repository,
      ServerLease server,
      LeaderLeases leaders,
      ServerThreads threads) {
    super(repository, options.random(), new StoreFence(Threading.SYSTEM));
    this.repository = repository;
    this.submitter = new PostgresSubmitter(repository, repository.reader(), options.ids());
    this.server = server;
    this.leaders = leaders;
    this.threads = threads;
    this.recovery = new RejoinRecovery(this, repository, server, updater());
    this.leaseListener =
        new LeaseListener() {
          @Override
          public void failed(StoreException problem) {
            fence().failures().begin(problem);
          }

          @Override
          public void rejoined(long before) {
            MonitoredThreads.virtualWork().start(() -> recovery.run(before, threads::isStopped));
          }
        };
    repository.onChanged(updater()::changedElsewhere);
    repository.loaded(updater().jobs()::get);
  }

  /** Adds a server to those of the database, whose schema is up to date. */
  public static PostgresStore open(Database database, StoreOptions options) {
    return open(database, options, OptionalLong.empty());
  }

  /** Opens the store to move jobs out of it, or into it. */
  public static PostgresStore openToMove(Database database, StoreOptions options, boolean out) {
    return open(database, options, out ? Role.MOVES_OUT : Role.MOVES_IN, OptionalLong.empty());
  }

  /**
   * As {@link #open(Database, StoreOptions)}.
   *
   * @param epoch of the tokens of its claims, if that is not its own
   */
  static PostgresStore open(Database database, StoreOptions options, OptionalLong epoch) {
    return open(database, options, options.serves() ? Role.SERVER : Role.COMMAND, epoch);
  }

  private static PostgresStore open(
      Database database, StoreOptions options, Role role, OptionalLong epoch) {
    boolean first =
        options.serves()
            && !database.isTrue(
                "SELECT EXISTS (SELECT FROM @servers WHERE serves AND alive_until > now())");
    ServerLease server = ServerLease.join(database, options.name(), role, options.lease());
    PostgresRepository repository =
        new PostgresRepository(
            database,
            server,
            options.clock(),
            epoch.isPresent() ? epoch::getAsLong : server::epoch,
            options.listens());
    List<JobId> timed = first ? repository.restartTimes() : List.of();
    LeaderLeases leaders = new LeaderLeases(server);
    ServerThreads threads =
        new ServerThreads(database, server, leaders, options.clock(), repository);
    PostgresStore store = new PostgresStore(options, repository, server, leaders, threads);
    if (options.serves()) {
      store.fence().failures().startLog();
    }
    threads.startRenewing(store.leaseListener);
    if (options.listens()) {
      threads.startListening(store.updater()::changedElsewhere);
    }
    timed.forEach(store::touch);
    if (options.serves()) {
      store.recovery.forEachLost(store::touch); // reading a job releases them
    }
    return store;
  }

  private void touch(JobId id) {
    try {
      updater().touch(id);
    } catch (JobException e) {
      // it is in quarantine
    }
  }

  @Override
  public JobId submit(JobSpec spec) {
    return fence()
        .call(
            () -> {
              JobId id = submitter.submit(spec);
              submitted(id);
              return id;
            });
  }

  @Override
  public boolean submit(JobSpec spec, JobId id) {
    return fence()
        .call(
            () -> {
              boolean fresh = submitter.submit(spec, id);
              if (fresh) {
                submitted(id);
              }
              return fresh;
            });
  }

  @Override
  public RetryResult retry(RetryRequest request) {
    return fence()
        .call(
            () -> {
              RetryResult result = submitter.retry(request);
              JobId id = result.id();
              if (result.fresh() && id != null) {
                submitted(id);
              }
              return result;
            });
  }

  /** It stays in memory a while: whoever submits a job mostly asks for it, or adds to it. */
  private void submitted(JobId id) {
    try {
      touch(id);
    } finally {
      repository.forgetInserted(id); // another thread may have read it from the database
    }
    updater().notifier().changed(id);
  }

  /** Of all servers, because every change keeps them. */
  @Override
  public StatusCounts statusCounts() {
    return repository.reader().keptCounts().statusCounts(repository.unreadableJobs());
  }

  @Override
  public String kind() {
    return "postgresql";
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public long unreadableJobs() {
    return repository.knownUnreadableJobs();
  }

  @Override
  public LeaderLease leaderLease(String duty) {
    return leaders.open(duty);
  }

  /** The same store, to move jobs; closing either closes both. */
  public MovableStore movable() {
    return new PostgresMovableStore(repository, updater(), this::close);
  }

  /** The epoch of its claims; another one after it was away for longer than its lease. */
  public long epoch() {
    return repository.epoch();
  }

  /** Says what this server serves, for people. */
  public void announce(JsonObject info, boolean ready) {
    announcement = new Announcement(info, ready);
    announceAgain();
  }

  /** Says it under another epoch. */
  void announceAgain() {
    Announcement last = announcement;
    if (last != null) {
      new ServerRows(repository.database()).announce(server.epoch(), last.info(), last.ready());
    }
  }

  @Override
  public void close() {
    super.close();
    try {
      repository.flush();
      server.leave();
    } catch (StoreException e) { // others notice it a little later
      LOG.log(Level.WARNING, "this server leaves without saying so: " + e.getMessage());
    }
    end();
    server.close();
  }

  /** Renews the leases of this server, as its thread does at intervals. */
  void renewNow() {
    try {
      threads.renewOnce(leaseListener);
    } catch (StoreException e) {
      leaseListener.failed(e);
    }
  }

  /** Writes journals, as its thread does at intervals. */
  void writeJournalsNow() {
    repository.writeJournalsNow();
  }

  /** Another server may have enqueued something. */
  void workElsewhere() {
    repository.workElsewhere(Long.MIN_VALUE);
  }

  /** Ends as a crash would: nothing more is written, and others see at once that it is gone. */
  void abandon() {
    end();
    server.leave();
    server.close();
  }

  private void end() {
    threads.stop();
    repository.close();
  }
}
