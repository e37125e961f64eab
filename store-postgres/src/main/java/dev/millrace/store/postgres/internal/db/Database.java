package dev.millrace.store.postgres.internal.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A pool of connections, and statements on it. Each statement is a transaction of its own and needs
 * no session, so that a pooler in transaction mode may stand between. In statements, {@code @jobs}
 * is the table {@code jobs} of the schema. Thread-safe.
 */
public final class Database implements AutoCloseable {
  private static final long CONNECTION_TIMEOUT_MILLIS = 10_000;

  /**
   * Every statement looks up a few rows by an index. A plan that was made while a table was small
   * would read all of it by now. A pooler's sessions are for others, too: there, nothing is set, and
   * no plan is kept.
   */
  public static final String PLANS =
      "SELECT set_config(name, 'off', false) FROM unnest('{enable_seqscan,enable_hashjoin,"
          + "enable_mergejoin,jit}'::text[]) AS name"
          + " UNION ALL SELECT set_config('max_parallel_workers_per_gather', '0', false)"
          + " UNION ALL SELECT set_config('plan_cache_mode', 'force_generic_plan', false)";

  /**
   * The database ends a transaction whose process sends nothing for so long: it may be frozen, and
   * others wait for its locks.
   */
  public static final String END_IF_IDLE =
      "set_config('idle_in_transaction_session_timeout', '2000', true)";

  /**
   * Gives a statement up that waits for locks of others: what is repeated soon must not hold a
   * connection, or stand in a queue of locks before those who do the work.
   */
  private static final String LIMITS =
      "SELECT set_config('lock_timeout', '2000', true), set_config('statement_timeout', '4000',"
          + " true)";

  /** What a statement ends with that was given up: it waited for a lock, or took too long. */
  private static final Set<String> GIVEN_UP = Set.of("55P03", "57014");

  /** Reads a row. */
  @FunctionalInterface
  public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private final PostgresSettings settings;
  private final HikariDataSource pool;
  private final ConnectionSource connections;
  private final Map<String, String> statements = new ConcurrentHashMap<>();

  private Database(PostgresSettings settings, HikariDataSource pool, ConnectionSource connections) {
    this.settings = settings;
    this.pool = pool;
    this.connections = connections;
  }

  /** Opens connections when they are needed; throws nothing if the database does not answer. */
  public static Database of(PostgresSettings settings) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(PoolerAwareDataSource.ofStatements(settings));
    config.setMaximumPoolSize(settings.connections());
    config.setMinimumIdle(0);
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
    config.setPoolName("millrace");
    HikariDataSource pool = new HikariDataSource(config);
    return new Database(settings, pool, new ConnectionSource(pool, System::nanoTime));
  }

  /** The same connections for another schema; closing either closes both. */
  public Database inSchemaOf(PostgresSettings other) {
    return new Database(other, pool, connections);
  }

  public PostgresSettings settings() {
    return settings;
  }

  /** Connects once: the pool would try for long before it says what is wrong. */
  public void requireReachable() {
    try (Connection connection = PoolerAwareDataSource.ofStatements(settings).getConnection()) {
      connection.isValid(0);
    } catch (SQLException e) {
      throw DatabaseErrors.of(this, e);
    }
  }

  /**
   * A connection outside of the pool, for a session of its own, to the direct address if there is
   * one; the caller closes it.
   */
  public Connection openSession() throws SQLException {
    return PoolerAwareDataSource.ofSessions(settings).getConnection();
  }

  /** Returns how many rows a statement has changed. */
  public int update(String statement, @Nullable Object... values) {
    try (Connection connection = connections.open();
        PreparedStatement prepared = prepare(connection, statement, values)) {
      return prepared.executeUpdate();
    } catch (SQLException e) {
      throw DatabaseErrors.of(this, e);
    }
  }

  /** All rows that a query finds. */
  public <T> List<T> list(String query, RowReader<T> reader, @Nullable Object... values) {
    try (Connection connection = connections.open();
        PreparedStatement prepared = prepare(connection, query, values);
        ResultSet rows = prepared.executeQuery()) {
      List<T> found = new ArrayList<>();
      while (rows.next()) {
        found.add(reader.read(rows));
      }
      return found;
    } catch (SQLException e) {
      throw DatabaseErrors.of(this, e);
    }
  }

  /** The first row that a query finds; its reader gives no null. */
  public <T> Optional<T> first(String query, RowReader<T> reader, @Nullable Object... values) {
    List<T> rows = list(query, reader, values);
    return rows.isEmpty() ? Optional.empty() : Optional.of(rows.getFirst());
  }

  /** Whether a query of one boolean says so. */
  public boolean isTrue(String query, @Nullable Object... values) {
    return first(query, row -> row.getBoolean(1), values).orElse(false);
  }

  /** Changes several things at once. */
  @FunctionalInterface
  public interface Transaction<T> {
    T run(Statements statements) throws SQLException;
  }

  /** Statements of one transaction. */
  public final class Statements {
    private final Connection connection;
    private boolean takenBack;

    private Statements(Connection connection) {
      this.connection = connection;
    }

    public int update(String statement, @Nullable Object... values) throws SQLException {
      try (PreparedStatement prepared = prepare(connection, statement, values)) {
        return prepared.executeUpdate();
      }
    }

    public <T> List<T> list(String query, RowReader<T> reader, @Nullable Object... values)
        throws SQLException {
      try (PreparedStatement prepared = prepare(connection, query, values);
          ResultSet rows = prepared.executeQuery()) {
        List<T> found = new ArrayList<>();
        while (rows.next()) {
          found.add(reader.read(rows));
        }
        return found;
      }
    }

    /** Whether a query of one boolean says so. */
    public boolean isTrue(String query, @Nullable Object... values) throws SQLException {
      return list(query, row -> row.getBoolean(1), values).contains(true);
    }

    /** As {@link #END_IF_IDLE}, for a transaction of several statements. */
    public void endIfIdle() throws SQLException {
      list("SELECT " + END_IF_IDLE, row -> true);
    }

    /** The statements that follow are given up if they wait for long. */
    public void giveUpSoon() throws SQLException {
      list(LIMITS, row -> true);
    }

    /** The transaction ends without any of its changes. */
    public void takeBack() {
      takenBack = true;
    }
  }

  /** Whether a statement was given up that had waited for others; another try may succeed. */
  static boolean isGivenUp(Throwable problem) {
    for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException e && GIVEN_UP.contains(String.valueOf(e.getSQLState()))) {
        return true;
      }
    }
    return false;
  }

  /** Statements on a connection of the caller. */
  Statements on(Connection connection) {
    return new Statements(connection);
  }

  /** The database answers, whatever earlier callers were told. */
  void reached() {
    connections.reached();
  }

  /**
   * Runs a transaction: all of it, or nothing. It is durable when this returns, unless it has
   * switched that off.
   */
  public <T> T inTransaction(Transaction<T> transaction) {
    try (Connection connection = connections.open()) {
      connection.setAutoCommit(false);
      boolean done = false;
      try {
        Statements statements = new Statements(connection);
        T answer = transaction.run(statements);
        if (!statements.takenBack) {
          connection.commit();
          done = true;
        }
        return answer;
      } finally {
        if (!done) {
          connection.rollback();
        }
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw DatabaseErrors.of(this, e);
    }
  }

  private PreparedStatement prepare(
      Connection connection, String statement, @Nullable Object[] values) throws SQLException {
    PreparedStatement prepared = connection.prepareStatement(inSchema(statement));
    try {
      for (int i = 0; i < values.length; i++) {
        set(connection, prepared, i + 1, values[i]);
      }
      return prepared;
    } catch (SQLException | RuntimeException | Error e) {
      prepared.close();
      throw e;
    }
  }

  private static void set(
      Connection connection, PreparedStatement prepared, int at, @Nullable Object value)
      throws SQLException {
    switch (value) {
      case Instant time -> prepared.setObject(at, Times.toDatabase(time));
      case Long[] numbers -> setArray(prepared, at, connection.createArrayOf("bigint", numbers));
      case Integer[] numbers -> setArray(prepared, at, connection.createArrayOf("int", numbers));
      case Double[] numbers -> setArray(prepared, at, connection.createArrayOf("float8", numbers));
      case String[] texts -> setArray(prepared, at, connection.createArrayOf("text", texts));
      case null -> prepared.setObject(at, null);
      default -> prepared.setObject(at, value);
    }
  }

  private static void setArray(PreparedStatement prepared, int at, Array array)
      throws SQLException {
    prepared.setArray(at, array);
  }

  /** The statement with the tables of the schema. */
  public String inSchema(String statement) {
    return statements.computeIfAbsent(
        statement, it -> it.replace("@", "\"" + settings.schema() + "\"."));
  }

  /** All statements that were run so far. */
  public Set<String> statements() {
    return Set.copyOf(statements.keySet());
  }

  @Override
  public void close() {
    pool.close();
  }
}
