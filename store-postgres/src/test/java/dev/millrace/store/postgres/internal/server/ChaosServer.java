package dev.millrace.store.postgres.internal.server;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** A server in a process of its own that completes every task, until it is killed or broken. */
final class ChaosServer {
  static final Duration LEASE = Duration.ofSeconds(2);
  private static final int WORKERS = 4;

  private ChaosServer() {}

  /** Its argument is the address of the database. */
  public static void main(String[] args) throws InterruptedException {
    Database database = Database.of(PostgresSettings.parse(args[0], Map.of()));
    StoreOptions usual = StoreOptions.of("chaos", database, true);
    PostgresStore store =
        PostgresStore.open(
            database,
            new StoreOptions(
                "chaos", usual.clock(), usual.ids(), usual.random(), true, true, LEASE));
    for (int i = 0; i < WORKERS; i++) {
      Thread.ofVirtual().start(() -> repeat(() -> work(store)));
    }
    System.out.println("ready");
    repeat(
        () -> {
          store.sweep();
          LockSupport.parkNanos(200_000_000);
        });
  }

  /** Repeats what may fail, as a server does; a server that lost its row is started again. */
  private static void repeat(Runnable round) {
    while (true) {
      try {
        round.run();
      } catch (StoreBrokenException e) {
        System.exit(3);
      } catch (StoreException e) {
        LockSupport.parkNanos(100_000_000);
      }
    }
  }

  /** Nobody else answers for it while this server lives. */
  private static void untilAnswered(Runnable answer) {
    while (true) {
      try {
        answer.run();
        return;
      } catch (StoreBrokenException e) {
        throw e;
      } catch (StoreException e) {
        LockSupport.parkNanos(50_000_000);
      }
    }
  }

  private static void work(PostgresStore store) {
    List<Claim> claims = store.claim(new ClaimRequest(Set.of("a", "b"), 4, "worker", null));
    for (Claim claim : claims) {
      boolean releases = ThreadLocalRandom.current().nextInt(10) == 0;
      untilAnswered(
          () -> {
            store.appendJournal(claim, new OutputChunk(List.of(1), List.of(claim.inputText())));
            if (releases) {
              store.release(claim, "another one may do it");
            } else {
              store.complete(claim, TaskResult.of("<" + claim.inputText() + ">"));
            }
          });
    }
    if (claims.isEmpty()) {
      LockSupport.parkNanos(20_000_000);
    }
  }
}
