package dev.millrace.store.postgres.internal.db;

import dev.millrace.core.store.LeaderLease;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The leases of what only one server should do. Each ends when it is not renewed in time, when its
 * server is gone, or when it is given up; then any other server that asks for it gets it. All of it
 * is decided by the clock of the database. Thread-safe.
 */
public final class LeaderLeases {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** Gets a lease or renews it, for a server that lives. */
  public static final String TAKE =
      "INSERT INTO @leader_leases AS l (duty, server, until)"
          + " SELECT ?, s.epoch, now() + make_interval(secs => ?) FROM @servers s"
          + " WHERE s.epoch = ? AND s.alive_until > now()"
          + " ON CONFLICT (duty) DO UPDATE SET server = excluded.server, until = excluded.until"
          + " WHERE l.server = excluded.server OR l.until <= now() OR coalesce("
          + "(SELECT o.alive_until <= now() FROM @servers o WHERE o.epoch = l.server), true)"
          + " RETURNING 1";

  private static final String GIVE_UP = "DELETE FROM @leader_leases WHERE duty = ? AND server = ?";

  private final ServerLease server;
  private final Set<Wanted> wanted = ConcurrentHashMap.newKeySet();
  private final Set<String> givenUp = ConcurrentHashMap.newKeySet();

  public LeaderLeases(ServerLease server) {
    this.server = server;
  }

  /** A lease that this server wants. */
  private final class Wanted implements LeaderLease {
    private final String duty;
    private volatile boolean held;
    private volatile long renewedNanos;

    Wanted(String duty) {
      this.duty = duty;
    }

    @Override
    public boolean isHeld() {
      return held && System.nanoTime() - renewedNanos < server.length().toNanos();
    }

    private void take() {
      long before = System.nanoTime();
      List<Integer> taken =
          server.onOwnConnection(
              it ->
                  it.list(
                      TAKE,
                      row -> row.getInt(1),
                      duty,
                      server.length().toMillis() / 1e3,
                      server.epoch()));
      renewedNanos = before;
      held = !taken.isEmpty();
    }

    @Override
    public void close() {
      if (wanted.remove(this)) {
        held = false;
        givenUp.add(duty);
      }
    }
  }

  /** Asks for a lease, at once and then with each renewal. */
  public LeaderLease open(String duty) {
    Wanted lease = new Wanted(duty);
    wanted.add(lease);
    try {
      lease.take();
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "cannot ask for the lease of \"" + duty + "\"; trying again", e);
    }
    return lease;
  }

  /** Renews those that this server has, and asks for the others; call it as often as its row's. */
  public void renew() {
    for (String duty : givenUp) {
      server.onOwnConnection(it -> it.update(GIVE_UP, duty, server.epoch()));
      givenUp.remove(duty);
    }
    wanted.forEach(Wanted::take); // also one whose duty was just given up elsewhere in this process
  }
}
