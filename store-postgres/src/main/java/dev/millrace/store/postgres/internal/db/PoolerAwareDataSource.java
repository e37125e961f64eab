package dev.millrace.store.postgres.internal.db;

import dev.millrace.store.postgres.settings.PostgresSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Properties;
import org.postgresql.Driver;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Opens connections, and notices a pooler. One in transaction mode gives each transaction another
 * session. There, a prepared statement of this connection is missing, or is another client's of the
 * same name and number of parameters: that would run instead. So nothing is prepared, unless the
 * address says how often to; and nothing is set, which would be for others. (The driver's own data
 * source has what else the interface wants, and nobody calls.)
 */
final class PoolerAwareDataSource extends PGSimpleDataSource {
  private static final int ANSWER_MILLIS = 10_000;

  private final String url;
  private final Properties properties;

  private PoolerAwareDataSource(String url, PostgresSettings settings) {
    this.url = url;
    this.properties = properties(settings);
  }

  /** For statements: perhaps a pooler's. */
  static PoolerAwareDataSource ofStatements(PostgresSettings settings) {
    return new PoolerAwareDataSource(settings.jdbcUrl(), settings);
  }

  /** For sessions: the database's own, where the address names it. */
  static PoolerAwareDataSource ofSessions(PostgresSettings settings) {
    return new PoolerAwareDataSource(settings.directJdbcUrl(), settings);
  }

  private static Properties properties(PostgresSettings settings) {
    Properties properties = new Properties();
    properties.put("ApplicationName", "millrace");
    properties.put("assumeMinServerVersion", "14"); // else the name costs a statement of its own
    properties.put("connectTimeout", "10");
    properties.put("loginTimeout", "10");
    properties.put("socketTimeout", "60"); // else a call waits for a machine that is gone
    properties.put("tcpKeepAlive", "true");
    properties.putAll(settings.properties());
    if (settings.user() != null) {
      properties.put("user", settings.user());
    }
    if (settings.password() != null) {
      properties.put("password", settings.password());
    }
    return properties;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection =
        Objects.requireNonNull(
            new Driver().connect(url, properties), "the driver knows its own addresses");
    boolean done = false;
    try {
      int usual = connection.getNetworkTimeout();
      connection.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
      settle(connection);
      connection.setNetworkTimeout(Runnable::run, usual);
      done = true;
      return connection;
    } finally {
      if (!done) {
        connection.close();
      }
    }
  }

  private void settle(Connection connection) throws SQLException {
    if (!isPooled(connection)) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(Database.PLANS);
      }
    } else if (!properties.containsKey("prepareThreshold")) {
      connection.unwrap(PGConnection.class).setPrepareThreshold(0);
    }
  }

  /** Whether a pooler answers: it tells its clients of processes that are not the database's. */
  static boolean isPooled(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return row.getInt(1) != connection.unwrap(PGConnection.class).getBackendPID();
    }
  }
}
