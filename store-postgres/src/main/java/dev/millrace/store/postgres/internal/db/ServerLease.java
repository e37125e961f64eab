package dev.millrace.store.postgres.internal.db;

import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.store.postgres.internal.db.Database.RowReader;
import dev.millrace.store.postgres.internal.db.Database.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The row of this server: one lease for all tasks of its own workers. While it is renewed in time,
 * no other server takes them; once its time is over it is never renewed again, and the server has to
 * join again, under a new epoch. All of it is decided by the clock of the database. Thread-safe.
 */
public final class ServerLease implements AutoCloseable {
  private static final String FIRST =
      "NOT EXISTS (SELECT FROM @servers o WHERE o.serves AND o.alive_until > now()"
          + " AND o.epoch < s.epoch)";

  private static final String ALONE =
      "NOT EXISTS (SELECT FROM @servers o WHERE o.serves AND o.alive_until > now()"
          + " AND o.epoch <> s.epoch)";

  public static final String RENEW =
      "UPDATE @servers s SET alive_until = now() + make_interval(secs => ?)"
          + " WHERE epoch = ? AND alive_until > now() RETURNING serves AND "
          + FIRST
          + " AS first, "
          + ALONE
          + " AS alone";

  private static final RowReader<Renewed> RENEWED =
      row -> new Renewed(row.getBoolean("first"), row.getBoolean("alone"));

  /** What a renewal learns. */
  private record Renewed(boolean first, boolean alone) {}

  private final Database database;
  private final SingleConnection connection;
  private final String name;
  private final Role role;
  private final Duration length;
  private final Set<Long> over = ConcurrentHashMap.newKeySet();
  private volatile long epoch;

  /** Of this server before it joined again, while its tasks are still its own; else 0. */
  private volatile long previous;

  private volatile long renewedNanos;
  private volatile boolean lost;
  private volatile boolean first;
  private volatile boolean alone;
  private boolean left; // guarded by this

  private ServerLease(Database database, String name, Role role, Duration length) {
    this.database = database;
    this.connection = new SingleConnection(database);
    this.name = name;
    this.role = role;
    this.length = length;
  }

  /** What joins the servers of a database. */
  public enum Role {
    /** It stays. */
    SERVER(null, "moves = 'out'"),
    /** It ends soon. */
    COMMAND(null, "false"),
    /** It moves jobs out: no server may be there, and none may join while it lives. */
    MOVES_OUT("out", "serves OR moves IS NOT NULL"),
    /** It moves jobs into the database, which servers may share meanwhile. */
    MOVES_IN("in", "moves = 'out'");

    private final @Nullable String moves;

    /** Which others exclude it. */
    private final String excluding;

    Role(@Nullable String moves, String excluding) {
      this.moves = moves;
      this.excluding = excluding;
    }
  }

  private static final String JOIN =
      "INSERT INTO @servers (name, serves, moves, alive_until)"
          + " VALUES (?, ?, ?, now() + make_interval(secs => ?)) RETURNING epoch";

  /** Two that exclude each other must not join at the same time. Needs no session. */
  private static final String LOCK = "LOCK TABLE @servers IN SHARE ROW EXCLUSIVE MODE";

  /**
   * Adds a server under a new epoch.
   *
   * @param length how long it lives without renewing
   * @throws StoreException if another one excludes it
   */
  public static ServerLease join(Database database, String name, Role role, Duration length) {
    ServerLease lease = new ServerLease(database, name, role, length);
    lease.epoch = lease.insert();
    lease.renewed(lease.renewedNanos, database.list(RENEW, RENEWED, seconds(length), lease.epoch));
    return lease;
  }

  /** Adds a row, and returns its epoch. */
  private long insert() {
    long begin = System.nanoTime();
    while (true) {
      try {
        renewedNanos = System.nanoTime();
        return role == Role.COMMAND
            ? database.first(JOIN, row -> row.getLong(1), values()).orElseThrow()
            : database.inTransaction(this::insertAdmitted);
      } catch (StoreException e) {
        boolean late = System.nanoTime() - begin > length.toNanos();
        if (late || !Database.isGivenUp(e)) { // else somebody has locked the table for a moment
          throw e;
        }
      }
    }
  }

  private @Nullable Object[] values() {
    return new @Nullable Object[] {name, role == Role.SERVER, role.moves, seconds(length)};
  }

  private long insertAdmitted(Database.Statements statements) throws SQLException {
    statements.endIfIdle();
    statements.giveUpSoon(); // the renewals of others wait behind it
    statements.update(LOCK);
    requireAdmission(database, statements.list(others(role), ServerLease::describe));
    return statements.list(JOIN, row -> row.getLong(1), values()).getFirst();
  }

  private static String others(Role role) {
    return "SELECT name, moves FROM @servers WHERE ("
        + role.excluding
        + ") AND alive_until > now() ORDER BY moves, epoch";
  }

  private static String describe(ResultSet row) throws SQLException {
    String what = row.getString("moves") == null ? "served by " : "being moved by ";
    return what + row.getString("name");
  }

  private static void requireAdmission(Database database, List<String> others) {
    if (!others.isEmpty()) {
      throw new StoreException(
          "the jobs of "
              + database.settings()
              + " are "
              + String.join(", ", others)
              + "; stop that first, or wait until it ends ("
              + database.settings().lease().toSeconds()
              + " s, if it was killed)");
    }
  }

  private static double seconds(Duration length) {
    return length.toMillis() / 1e3;
  }

  /** Whether it stays, and processes jobs. */
  public boolean serves() {
    return role == Role.SERVER;
  }

  /** How long it lives without renewing. */
  public Duration length() {
    return length;
  }

  /**
   * Whether it is the first of those that serve, as of the last renewal. It does what each of them
   * can do.
   */
  public boolean isFirst() {
    return first && !lost;
  }

  /** Whether no other server served at the last renewal; one that joined since may be there. */
  public boolean isAlone() {
    return alone;
  }

  public long epoch() {
    return epoch;
  }

  /** Renews it; call it several times in its length. Waits for no connection of the pool. */
  public synchronized void renew() {
    if (left) {
      return;
    }
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
      alone = false;
    } else {
      first = answer.getFirst().first();
      alone = answer.getFirst().alone();
      renewedNanos = before;
    }
  }

  /** Whether its time is over, as of the last renewal. */
  public boolean isLost() {
    return lost;
  }

  /**
   * Joins again under a new epoch after its time was over; one that has the database for itself
   * cannot, because others may have it by now. What it has claimed stays its own until {@link
   * #giveUpPrevious}, unless others take it.
   *
   * @param whenAlone runs before it counts as joined, if no other server is there
   * @throws StoreException if another one excludes it
   */
  public synchronized void rejoin(Runnable whenAlone) {
    if (left || !lost || role.moves != null) {
      return;
    }
    long now = insert();
    List<Renewed> joined = database.list(RENEW, RENEWED, seconds(length), now);
    if (!joined.isEmpty() && joined.getFirst().alone()) {
      whenAlone.run();
    }
    previous = epoch;
    epoch = now;
    lost = false;
    renewed(renewedNanos, joined);
  }

  /** What it claimed before it joined again is no longer its own. */
  public void giveUpPrevious() {
    previous = 0;
  }

  /** When the lease of an earlier epoch began for the last time, roughly; not later. */
  public Instant lastRenewal(long earlier) {
    return database
        .first(
            "SELECT coalesce((SELECT alive_until - make_interval(secs => ?) FROM @servers"
                + " WHERE epoch = ?), now() - interval '1 day') - interval '1 minute' AS last",
            row -> Times.read(row, "last"),
            seconds(length),
            earlier)
        .orElseThrow();
  }

  /** Runs a statement on the connection that renews it: it waits for none of the pool. */
  <T> T onOwnConnection(Transaction<T> statement) {
    return connection.run(statement);
  }

  /** Throws if others may have taken its tasks. */
  public void requireAlive() {
    if (lost) {
      String what =
          "this server (epoch "
              + epoch
              + ") was not able to renew its row in the database within "
              + length.toSeconds()
              + " s, and others may have taken its tasks; ";
      if (role.moves != null) {
        throw new StoreBrokenException(what + "restart it");
      }
      throw new StoreException(what + "it joins again", null, Trouble.FAILING);
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
    if (other == epoch || other == previous) {
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
  public synchronized void leave() {
    left = true;
    String end = "UPDATE @servers SET alive_until = '-infinity' WHERE epoch = ?";
    connection.run(it -> it.update(end, epoch));
  }

  /** Renews it no more, without telling the others. */
  @Override
  public void close() {
    connection.close();
  }
}
