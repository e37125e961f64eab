package dev.millrace.store.postgres.internal.db;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Waits for notifications of other servers, in a session of its own. Where none can arrive, it only
 * waits: behind a pooler, or while the database cannot be reached. One thread uses it.
 */
final class NotificationListener implements AutoCloseable {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final Database database;
  private final long epoch;
  private @Nullable Connection session;
  private boolean isBehindPooler;
  private boolean hasWarned;

  NotificationListener(Database database, long epoch) {
    this.database = database;
    this.epoch = epoch;
  }

  /** Returns when another server has notified, or after that time. */
  void await(Duration longest) throws InterruptedException {
    try {
      Connection open = isBehindPooler ? null : session();
      if (open == null) {
        Thread.sleep(longest);
      } else {
        await(open.unwrap(PGConnection.class), longest);
      }
    } catch (SQLException e) {
      close();
      failed(e);
      Thread.sleep(longest);
    }
  }

  private void await(PGConnection open, Duration longest) throws SQLException {
    long end = System.nanoTime() + longest.toNanos();
    for (long left = longest.toMillis(); left > 0; left = (end - System.nanoTime()) / 1_000_000) {
      PGNotification[] notifications = open.getNotifications((int) left);
      if (notifications != null && Arrays.stream(notifications).anyMatch(this::isOfAnother)) {
        return;
      }
    }
  }

  private boolean isOfAnother(PGNotification notification) {
    return !notification.getParameter().equals(Long.toString(epoch));
  }

  /** Nothing else uses a direct address all the time: nobody else would say that it is wrong. */
  private void failed(SQLException e) {
    boolean warns = database.settings().direct() != null && !hasWarned;
    hasWarned = true;
    LOG.log(
        warns ? Level.WARNING : Level.DEBUG,
        "no notifications; looking for changes twice a second: "
            + DatabaseErrors.of(database, e).getMessage());
  }

  /** Listens; null if a pooler is in between, which would lead notifications to anybody. */
  private @Nullable Connection session() throws SQLException {
    if (session != null) {
      return session;
    }
    Connection open = database.openSession();
    session = open; // closed by whoever catches what follows
    if (PoolerAwareDataSource.isPooled(open)) {
      close();
      isBehindPooler = true;
      LOG.log(
          Level.INFO,
          "a pooler is in front of the database, and notifications do not pass it: looking for"
              + " changes twice a second; add direct=HOST:PORT of the database to the address");
      return null;
    }
    try (Statement statement = open.createStatement()) {
      statement.execute("LISTEN \"" + CommitFlusher.channel(database) + "\"");
    }
    hasWarned = false;
    return open;
  }

  @Override
  public void close() {
    Connection open = session;
    session = null;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException e) {
        LOG.log(Level.DEBUG, "cannot close the session", e);
      }
    }
  }
}
