package dev.millrace.store.postgres.internal.db;

import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.store.postgres.internal.db.Database.RowReader;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The row of this server: one lease for all tasks of its own workers. While it is renewed in time,
 * no other server takes them; once its time is over it is never renewed again. All of it is decided
 * by the clock of the database. Thread-safe.
 */
public final class ServerLease implements AutoCloseable {
  private static final String LEADS =
      "NOT EXISTS (SELECT FROM @servers o WHERE o.serves AND o.alive_until > now()"
          + " AND o.epoch < s.epoch)";

  private static final String ALONE =
      "NOT EXISTS (SELECT FROM @servers o WHERE o.serves AND o.alive_until > now()"
          + " AND o.epoch <> s.epoch)";

  private static final String RENEW =
      "UPDATE @servers s SET alive_until = now() + make_interval(secs => ?)"
          + " WHERE epoch = ? AND alive_until > now() RETURNING serves AND "
          + LEADS
          + " AS leads, "
          + ALONE
          + " AS alone";

  private static final RowReader<Renewed> RENEWED =
      row -> new Renewed(row.getBoolean("leads"), row.getBoolean("alone"));

  /** What a renewal learns. */
  private record Renewed(boolean leads, boolean alone) {}

  private final Database database;
  private final SingleConnection connection;
  private final long epoch;
  private final Duration length;
  private final Set<Long> over = ConcurrentHashMap.newKeySet();
  private volatile long renewedNanos;
  private volatile boolean lost;
  private volatile boolean leads;
  private volatile boolean alone;

  private ServerLease(Database database, long epoch, Duration length, long renewedNanos) {
    this.database = database;
    this.connection = new SingleConnection(database);
    this.epoch = epoch;
    this.length = length;
    this.renewedNanos = renewedNanos;
  }

  /**
   * Adds a server under a new epoch.
   *
   * @param serves whether it stays, and may lead the others
   * @param length how long it lives without renewing
   */
  public static ServerLease join(Database database, String name, boolean serves, Duration length) {
    long before = System.nanoTime();
    long epoch =
        database
            .first(
                "INSERT INTO @servers (name, serves, alive_until)"
                    + " VALUES (?, ?, now() + make_interval(secs => ?)) RETURNING epoch",
                row -> row.getLong(1),
                name,
                serves,
                seconds(length))
            .orElseThrow();
    ServerLease lease = new ServerLease(database, epoch, length, before);
    lease.renewed(before, database.list(RENEW, RENEWED, seconds(length), epoch));
    return lease;
  }

  private static double seconds(Duration length) {
    return length.toMillis() / 1e3;
  }

  /** How long it lives without renewing. */
  public Duration length() {
    return length;
  }

  /** Whether it is the first of those that serve, as of the last renewal. */
  public boolean leads() {
    return leads && !lost;
  }

  /** Whether no other server served at the last renewal; one that joined since may be there. */
  public boolean isAlone() {
    return alone;
  }

  public long epoch() {
    return epoch;
  }

  /** Renews it; call it several times in its length. Waits for no connection of the pool. */
  public void renew() {
    long before = System.nanoTime();
    renewed(before, connection.run(it -> it.list(RENEW, RENEWED, seconds(length), epoch)));
  }

  /**
   * @param before when the database was asked
   * @param answer empty if its time is over
   */
  private void renewed(long before, List<Renewed> answer) {
    if (answer.isEmpty()) {
      lost = true;
    } else {
      leads = answer.getFirst().leads();
      alone = answer.getFirst().alone();
      renewedNanos = before;
    }
  }

  /** Throws if others may have taken its tasks. */
  public void requireAlive() {
    if (lost) {
      throw new StoreBrokenException(
          "this server (epoch "
              + epoch
              + ") was not able to renew its row in the database within "
              + length.toSeconds()
              + " s, and others may have taken its tasks; restart it");
    }
    if (System.nanoTime() - renewedNanos > length.toNanos()) {
      throw new StoreException(
          "this server has not reached its database for " + length.toSeconds() + " s",
          null,
          Trouble.FAILING);
    }
  }

  /** Whether the server of that epoch is gone. */
  public boolean isOver(long other) {
    if (other == epoch) {
      return false;
    }
    if (over.contains(other)) {
      return true; // it never comes back
    }
    boolean gone =
        !database.isTrue(
            "SELECT EXISTS (SELECT FROM @servers WHERE epoch = ? AND alive_until > now())", other);
    if (gone) {
      over.add(other);
    }
    return gone;
  }

  /** Ends it: others may take its tasks at once. */
  public void leave() {
    String end = "UPDATE @servers SET alive_until = '-infinity' WHERE epoch = ?";
    connection.run(it -> it.update(end, epoch));
  }

  /** Renews it no more, without telling the others. */
  @Override
  public void close() {
    connection.close();
  }
}
