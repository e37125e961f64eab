package dev.millrace.store.postgres.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;

/** A transaction that somebody has forgotten: nothing that it could see is cleaned up. */
final class IdleTransaction {
  private final ChaosRun run;
  private final ChaosDatabase database;

  IdleTransaction(ChaosRun run, ChaosDatabase database) {
    this.run = run;
    this.database = database;
  }

  void step() throws InterruptedException {
    run.linger(500);
    Duration half = run.settings().length().dividedBy(2);
    try (Connection connection = database.admin()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      Optional<String> oldest = oldest(connection);
      long end = System.nanoTime() + half.toNanos();
      while (!run.ended() && System.nanoTime() < end) {
        run.linger(1_000);
        if (!oldest(connection).equals(oldest) || oldest.isEmpty()) {
          run.history().problem("the idle transaction does not hold what it saw first");
        }
        run.history().count("second with an idle transaction");
      }
    } catch (SQLException e) {
      run.history().count("idle transaction ended by a restart");
    }
  }

  /** The oldest transaction whose rows it keeps from being cleaned up. */
  private static Optional<String> oldest(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT backend_xmin FROM pg_stat_activity WHERE pid = pg_backend_pid()")) {
      rows.next();
      return Optional.ofNullable(rows.getString(1));
    }
  }
}
