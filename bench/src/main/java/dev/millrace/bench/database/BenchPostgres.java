package dev.millrace.bench.database;

import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.store.postgres.settings.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL as in production: it waits for the disk at each commit. Each measurement has a
 * database of its own, so that none sees the dead rows, statistics or transactions of another.
 */
public final class BenchPostgres implements AutoCloseable {
  private static final String[] SHOWN = {
    "server_version",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "shared_buffers",
    "max_wal_size",
    "autovacuum"
  };
  private static final int COMMITS = 100;

  private final @Nullable EmbeddedPostgres embedded;
  private final PostgresSettings settings;
  private final AtomicInteger databases = new AtomicInteger();

  private BenchPostgres(@Nullable EmbeddedPostgres embedded, PostgresSettings settings) {
    this.embedded = embedded;
    this.settings = settings;
  }

  /**
   * Starts one that ends with this process.
   *
   * @param sharedBuffers with its unit
   */
  public static BenchPostgres start(String sharedBuffers) throws IOException {
    EmbeddedPostgres embedded =
        EmbeddedPostgres.builder()
            .setDataDirectory(ScratchDirectories.fresh("postgres"))
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on")
            .setServerConfig("shared_buffers", sharedBuffers)
            .setServerConfig("max_wal_size", "8GB") // no checkpoint within a measurement
            .setServerConfig("checkpoint_timeout", "30min")
            .setServerConfig("max_connections", "200")
            .start();
    String url = "postgresql://postgres@localhost:" + embedded.getPort() + "/postgres";
    return new BenchPostgres(embedded, PostgresSettings.parse(url, Map.of()));
  }

  /** Uses one that runs; its user may create databases. */
  public static BenchPostgres at(String url) {
    return new BenchPostgres(null, PostgresSettings.parse(url));
  }

  public PostgresSettings settings() {
    return settings;
  }

  /** The settings that decide what a commit costs, and what it costs. */
  public String describe() throws SQLException {
    StringJoiner all = new StringJoiner(", ", "PostgreSQL: ", "");
    try (Connection connection = connect(settings);
        Statement statement = connection.createStatement()) {
      for (String name : SHOWN) {
        try (ResultSet row = statement.executeQuery("SHOW " + name)) {
          row.next();
          all.add(name + " " + row.getString(1));
        }
      }
      all.add(String.format(Locale.ROOT, "a commit takes %.2f ms", commitMillis(statement)));
    }
    return all.toString();
  }

  /** Of one client alone: how much faster a disk syncs moves all ratios here. */
  private static double commitMillis(Statement statement) throws SQLException {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < COMMITS; i++) {
      long start = System.nanoTime();
      statement.execute("SELECT pg_logical_emit_message(true, 'bench', 'a commit that syncs')");
      millis.add((System.nanoTime() - start) / 1e6);
    }
    return InterleavedRounds.median(millis);
  }

  /** A new database without tables. */
  public PostgresSettings newDatabase() throws SQLException {
    String name = "bench_" + ProcessHandle.current().pid() + "_" + databases.incrementAndGet();
    execute(settings, "CREATE DATABASE " + name);
    return new PostgresSettings(
        settings.hosts(),
        settings.direct(),
        name,
        settings.user(),
        settings.password(),
        settings.properties(),
        settings.schema(),
        settings.connections(),
        settings.lease());
  }

  /** Removes what {@link #newDatabase} has made, whoever is connected. */
  public void drop(PostgresSettings database) throws SQLException {
    execute(settings, "DROP DATABASE " + database.database() + " WITH (FORCE)");
  }

  /**
   * Does what a server does a while after rows came: statistics, and dirty pages on disk. Otherwise
   * a measurement would pay for the filling before it, or for plans of empty tables.
   */
  public static void settle(PostgresSettings database) throws SQLException {
    execute(database, "VACUUM ANALYZE", "CHECKPOINT");
  }

  public static void execute(PostgresSettings database, String... statements) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  public static Connection connect(PostgresSettings database) throws SQLException {
    return source(database).getConnection();
  }

  /** Each connection is a new one. */
  static PGSimpleDataSource source(PostgresSettings database) throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(database.jdbcUrl());
    source.setUser(database.user());
    source.setPassword(database.password());
    for (Map.Entry<String, String> property : database.properties().entrySet()) {
      source.setProperty(property.getKey(), property.getValue());
    }
    return source;
  }

  @Override
  public void close() throws IOException {
    if (embedded != null) {
      embedded.close();
    }
  }
}
