package dev.millrace.store.postgres.internal.server;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.internal.db.ChangeListener;
import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.DatabaseClock;
import dev.millrace.store.postgres.internal.db.HistoryPartitions;
import dev.millrace.store.postgres.internal.db.LeaderLeases;
import dev.millrace.store.postgres.internal.db.ServerLease;
import dev.millrace.store.postgres.internal.jobs.PostgresRepository;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What a server does beside its calls: one thread renews its leases, and does nothing else that
 * might wait; one cleans up, and one listens to other servers. Each survives what one round throws.
 */
final class ServerThreads {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** Rounds between two clean-ups. */
  private static final int CLEAN_UP = 5;

  /** Rounds between two looks at the partitions. */
  private static final int PARTITIONS = 500;

  /** How long after a failure the lease is renewed again: not much of its time may be left. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Database database;
  private final ServerLease lease;
  private final LeaderLeases leaders;
  private final Clock clock;
  private final PostgresRepository repository;
  private final HistoryPartitions partitions;
  private final CountDownLatch stop = new CountDownLatch(1);

  ServerThreads(
      Database database,
      ServerLease lease,
      LeaderLeases leaders,
      Clock clock,
      PostgresRepository repository) {
    this.database = database;
    this.lease = lease;
    this.leaders = leaders;
    this.clock = clock;
    this.repository = repository;
    this.partitions = new HistoryPartitions(database);
  }

  /** Who hears of the lease. */
  interface LeaseListener {
    void failed(StoreException problem);

    /** The server is there again, under another epoch than that. */
    void rejoined(long before);
  }

  void startRenewing(LeaseListener listener) {
    MonitoredThreads.virtualService("millrace-postgres-lease").start(() -> renew(listener));
    MonitoredThreads.virtualService("millrace-postgres-cleanup").start(this::cleanUp);
  }

  /**
   * @param changed gets each job that another server has changed
   */
  void startListening(Consumer<JobId> changed) {
    ChangeListener listener = new ChangeListener(database, lease.epoch());
    MonitoredThreads.virtualService("millrace-postgres-journals").start(this::writeJournals);
    MonitoredThreads.virtualService("millrace-postgres-changes")
        .start(() -> listen(listener, changed));
  }

  private void renew(LeaseListener listener) {
    boolean fails = false;
    while (!isStopped(fails ? retryDelay() : interval())) {
      try {
        renewOnce(listener);
        fails = false;
      } catch (StoreException e) {
        listener.failed(e);
        fails = true;
      } catch (RuntimeException | Error e) {
        if (!fails) {
          LOG.log(Level.WARNING, "cannot renew the row of this server", e);
        }
        fails = true;
      }
    }
    lease.close();
  }

  /** Not on the thread that renews: one of these may wait for locks of others. */
  private void cleanUp() {
    for (int round = 1; !isStopped(interval()); round++) {
      for (Runnable chore : chores(round)) {
        try {
          chore.run();
        } catch (StoreException e) { // callers say what is wrong
          LOG.log(Level.DEBUG, "cannot clean up; trying again", e);
        } catch (RuntimeException | Error e) {
          LOG.log(Level.WARNING, "cannot clean up; trying again", e);
        }
      }
    }
  }

  private List<Runnable> chores(int round) {
    List<Runnable> chores = new ArrayList<>();
    if (clock instanceof DatabaseClock shared) {
      chores.add(() -> shared.follow(database));
    }
    chores.add(repository::observeIncarnation);
    chores.add(repository::unreadableJobs); // which remembers them
    if (round % CLEAN_UP == 0) {
      chores.add(repository.reader().keptCounts()::sumUp);
    }
    if (round % PARTITIONS == 0 && lease.isFirst()) {
      chores.add(partitions::prepare);
      chores.add(partitions::dropEmpty);
    }
    return chores;
  }

  /** Renews all leases of this server. Throws if others may have taken its tasks. */
  void renewOnce(LeaseListener listener) {
    lease.renew();
    if (lease.isLost()) {
      rejoin(listener);
    }
    try {
      leaders.renew();
    } finally {
      lease.requireAlive(); // also a server without work has to notice it
    }
  }

  private void rejoin(LeaseListener listener) {
    try {
      lease.requireAlive();
    } catch (StoreException e) {
      listener.failed(e);
    }
    long before = lease.epoch();
    lease.rejoin(repository::restartLeases);
    if (lease.epoch() != before) {
      LOG.log(Level.INFO, "this server joined again: epoch " + lease.epoch() + " after " + before);
      listener.rejoined(before);
    }
  }

  private Duration interval() {
    return lease.length().dividedBy(5);
  }

  private Duration retryDelay() {
    return interval().compareTo(RETRY) < 0 ? interval() : RETRY;
  }

  /** Waits so long, or until the store is closed: then it returns true. */
  boolean isStopped(Duration wait) {
    try {
      return stop.await(wait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true; // nobody else has this thread
    }
  }

  private void writeJournals() {
    while (!isStopped(Duration.ZERO)) {
      try {
        repository.writeJournals();
      } catch (InterruptedException e) {
        stop.countDown();
      } catch (StoreException e) {
        isStopped(Duration.ofSeconds(1)); // callers say what is wrong
      } catch (RuntimeException | Error e) {
        LOG.log(Level.ERROR, "cannot write journals; trying again", e);
        isStopped(Duration.ofSeconds(1));
      }
    }
  }

  private void listen(ChangeListener listener, Consumer<JobId> changed) {
    try (listener) {
      for (int round = 1; !isStopped(Duration.ZERO); round++) {
        listenOnce(listener, changed, round);
      }
    }
  }

  private void listenOnce(ChangeListener listener, Consumer<JobId> changed, int round) {
    try {
      listener.await();
      long rank = listener.read(changed);
      if (rank != CommitFlusher.NO_WORK) {
        repository.workElsewhere(rank);
      }
      if (round % 100 == 0) {
        listener.forgetOld();
      }
    } catch (InterruptedException e) {
      stop.countDown();
    } catch (StoreException e) {
      isStopped(Duration.ofSeconds(1)); // callers say what is wrong
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, "cannot read what other servers have changed; trying again", e);
      isStopped(Duration.ofSeconds(1));
    }
  }

  void stop() {
    stop.countDown();
  }
}
