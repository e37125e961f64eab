package dev.millrace.store.postgres.chaos;

import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.chaos.job.JobShape;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.DatabaseClock;
import dev.millrace.store.postgres.internal.server.PostgresStore;
import dev.millrace.store.postgres.internal.server.StoreOptions;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** A server in a process of its own, with many workers, until it is killed. */
final class ChaosServer {
  /** Said when it serves, with its wall clock in milliseconds. */
  static final String READY = "ready ";

  /** The status of a server whose store is broken: none may ever be. */
  static final int BROKEN = 3;

  private static final int FAILED = 4;
  private static final int CLAIMERS = 2;
  private static final int BATCH = 10;
  private static final Set<String> TYPES = Set.of(JobShape.WORK);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

  private final PostgresStore store;
  private final String name;
  private final Semaphore free;
  private volatile long seen;

  private ChaosServer(PostgresStore store, String name, int workers) {
    this.store = store;
    this.name = name;
    this.free = new Semaphore(workers);
  }

  /** Its arguments are its name, the address of the database, and how many workers it has. */
  public static void main(String[] args) throws InterruptedException {
    Thread.setDefaultUncaughtExceptionHandler((_, e) -> fail(e));
    PostgresStore store = open(args[0], args[1]);
    Runtime.getRuntime().addShutdownHook(new Thread(store::close));
    System.out.println(READY + System.currentTimeMillis());
    ChaosServer server = new ChaosServer(store, args[0], Integer.parseInt(args[2]));
    for (int i = 0; i < CLAIMERS; i++) {
      Thread.ofVirtual().start(() -> server.repeat(server::claim));
    }
    server.repeat(
        () -> {
          store.sweep();
          Thread.sleep(PAUSE);
        });
  }

  private static void fail(Throwable e) {
    e.printStackTrace();
    Runtime.getRuntime().halt(FAILED);
  }

  private static PostgresStore open(String name, String url) throws InterruptedException {
    Database database = Database.of(PostgresSettings.parse(url, Map.of()));
    while (true) {
      try {
        StoreOptions options =
            new StoreOptions(
                name,
                DatabaseClock.of(database),
                JobIdGenerator.forThisProcess()::next,
                RandomGenerator.getDefault(),
                true,
                true,
                ChaosSettings.LEASE);
        return PostgresStore.open(database, options);
      } catch (StoreException e) {
        Thread.sleep(PAUSE); // as a supervisor would start it again
      }
    }
  }

  /** Something that is repeated as long as the server lives. */
  @FunctionalInterface
  private interface Round {
    void run() throws InterruptedException;
  }

  private void repeat(Round round) {
    try {
      while (true) {
        try {
          round.run();
        } catch (StoreBrokenException | StoreException.Closed e) {
          throw e;
        } catch (StoreException e) {
          Thread.sleep(PAUSE);
        }
      }
    } catch (StoreBrokenException e) {
      broken();
    } catch (StoreException.Closed e) {
      // the process is about to end
    } catch (InterruptedException e) {
      throw new IllegalStateException(e); // nobody interrupts here
    }
  }

  /** Not by {@code exit}: what is under way may hang as long as the database does. */
  static void broken() {
    System.out.flush();
    Runtime.getRuntime().halt(BROKEN);
  }

  /** How many more workers are free, up to a batch. */
  private int takeMore() {
    int more = 0;
    while (more < BATCH - 1 && free.tryAcquire()) {
      more++;
    }
    return more;
  }

  private void claim() throws InterruptedException {
    free.acquire();
    int most = 1 + takeMore();
    List<Claim> claims = List.of();
    try {
      boolean leased = ThreadLocalRandom.current().nextInt(5) == 0;
      claims = store.claim(new ClaimRequest(TYPES, most, name, leased ? SHORT_LEASE : null));
    } finally {
      free.release(most - claims.size());
    }
    for (Claim claim : claims) {
      Thread.ofVirtual().start(() -> work(claim));
    }
    if (claims.isEmpty()) {
      seen = store.awaitWork(seen, PAUSE.multipliedBy(5));
      Thread.sleep(PAUSE.dividedBy(4)); // there may be something for others only
    }
  }

  private void work(Claim claim) {
    try {
      new ChaosWorker(store, claim, name).work();
    } catch (StoreBrokenException e) {
      broken();
    } catch (StoreException.Closed e) {
      // the process is about to end
    } catch (InterruptedException e) {
      throw new IllegalStateException(e); // nobody interrupts here
    } finally {
      free.release();
    }
  }
}
