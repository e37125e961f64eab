package dev.millrace.store.postgres.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Gives connections of a pool. While the database cannot be reached, one caller at a time waits for
 * a connection, and not all the time; the others are told at once what that one was told. So a
 * server whose database is away answers, and stops when it is told to. Thread-safe.
 */
final class ConnectionSource {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final DataSource pool;
  private final LongSupplier nanos;
  private final AtomicBoolean tried = new AtomicBoolean(); // by a caller that waits now
  private volatile @Nullable SQLException failure; // of the last caller; null: it got a connection
  private volatile long triedNanos;

  /**
   * @param nanos the time; it only grows
   */
  ConnectionSource(DataSource pool, LongSupplier nanos) {
    this.pool = pool;
    this.nanos = nanos;
  }

  /** Waits for a connection, unless the database is away. */
  Connection open() throws SQLException {
    SQLException known = failure;
    if (known == null) {
      return tryToOpen();
    }
    if (nanos.getAsLong() - triedNanos < PAUSE.toNanos() || !tried.compareAndSet(false, true)) {
      throw new SQLException(known.getMessage(), known.getSQLState(), known);
    }
    try {
      return tryToOpen();
    } finally {
      tried.set(false);
    }
  }

  private Connection tryToOpen() throws SQLException {
    try {
      Connection connection = pool.getConnection();
      failure = null;
      return connection;
    } catch (SQLException e) {
      if (e.getCause() != null) { // else the database answers, but all connections are in use
        triedNanos = nanos.getAsLong();
        failure = e;
      }
      throw e;
    }
  }

  /** The database was reached in another way. */
  void reached() {
    failure = null;
  }
}
