package dev.millrace.store.postgres.internal.db;

import dev.millrace.store.postgres.internal.db.Database.Statements;
import dev.millrace.store.postgres.internal.db.Database.Transaction;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A connection outside of the pool, for what must not wait until others give one back. It is opened
 * when it is needed. Thread-safe; one statement at a time.
 */
final class SingleConnection implements AutoCloseable {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** A network that is silent for so long counts as lost. */
  private static final int SILENCE_MILLIS = 5_000;

  private final Database database;
  private @Nullable Connection open; // guarded by this

  SingleConnection(Database database) {
    this.database = database;
  }

  /**
   * Runs one statement, on a new connection if the old one no longer works: it may run twice. One
   * that waits for others is given up.
   */
  synchronized <T> T run(Transaction<T> statement) {
    try {
      Connection before = open;
      if (before != null) {
        try {
          return inTime(before, statement);
        } catch (SQLException e) {
          if (Database.isGivenUp(e)) {
            throw e; // another connection would wait, too
          }
          LOG.log(Level.DEBUG, "connecting again", e);
          close();
        }
      }
      Connection fresh = database.openSession();
      open = fresh;
      fresh.setNetworkTimeout(Runnable::run, SILENCE_MILLIS);
      T answer = inTime(fresh, statement);
      database.reached();
      return answer;
    } catch (SQLException e) {
      close();
      throw DatabaseErrors.of(database, e);
    }
  }

  /** A failure closes the connection, which takes the transaction back. */
  private <T> T inTime(Connection connection, Transaction<T> transaction) throws SQLException {
    connection.setAutoCommit(false);
    Statements statements = database.on(connection);
    statements.giveUpSoon();
    T answer = transaction.run(statements);
    connection.commit();
    connection.setAutoCommit(true);
    return answer;
  }

  @Override
  public synchronized void close() {
    Connection connection = open;
    open = null;
    if (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        LOG.log(Level.DEBUG, "cannot close a connection", e);
      }
    }
  }
}
