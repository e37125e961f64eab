package dev.millrace.bench.database;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** db-scheduler with its fastest polling, lock-and-fetch, and tasks that run once. */
public final class DbSchedulerPeer {
  private static final int THREADS = 50;
  private static final int CONNECTIONS = 20;

  /** What its documentation recommends: fetch when half are busy, up to four for each thread. */
  private static final double LOWER_LIMIT = 0.5;

  private static final double UPPER_LIMIT = 4.0;

  /** As its documentation has them. */
  private static final String[] TABLES = {
    """
    CREATE TABLE scheduled_tasks (
      task_name text NOT NULL,
      task_instance text NOT NULL,
      task_data bytea,
      execution_time timestamptz,
      picked boolean NOT NULL,
      picked_by text,
      last_success timestamptz,
      last_failure timestamptz,
      consecutive_failures int,
      last_heartbeat timestamptz,
      version bigint NOT NULL,
      priority smallint,
      state text,
      PRIMARY KEY (task_name, task_instance))\
    """,
    "CREATE INDEX ON scheduled_tasks (execution_time)",
    "CREATE INDEX ON scheduled_tasks (last_heartbeat)"
  };

  private final BenchPostgres postgres;
  private final int jobs;

  public DbSchedulerPeer(BenchPostgres postgres, int jobs) {
    this.postgres = postgres;
    this.jobs = jobs;
  }

  /** Tasks per second until none is in its table. */
  public double perSecond() throws Exception {
    PostgresSettings database = postgres.newDatabase();
    try (HikariDataSource pool = pool(database)) {
      BenchPostgres.execute(database, TABLES);
      BenchPostgres.execute(
          database,
          "INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, version)"
              + (" SELECT 'noop', i, now(), false, 1 FROM generate_series(1, " + jobs + ") AS i"));
      BenchPostgres.settle(database);
      return jobs * 1e9 / drain(pool);
    } finally {
      postgres.drop(database);
    }
  }

  private static HikariDataSource pool(PostgresSettings database) throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setDataSource(BenchPostgres.source(database));
    config.setMaximumPoolSize(CONNECTIONS);
    return new HikariDataSource(config);
  }

  private long drain(HikariDataSource pool) throws SQLException, InterruptedException {
    CountDownLatch left = new CountDownLatch(jobs);
    OneTimeTask<Void> noop = Tasks.oneTime("noop").execute((_, _) -> left.countDown());
    Scheduler scheduler =
        Scheduler.create(pool, noop)
            .threads(THREADS)
            .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
            .pollingInterval(Duration.ofMillis(100))
            .build();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      long start = System.nanoTime();
      scheduler.start();
      left.await();
      while (hasTasks(statement)) {
        Thread.onSpinWait(); // the last of them are being deleted
      }
      return System.nanoTime() - start;
    } finally {
      scheduler.stop();
    }
  }

  private static boolean hasTasks(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT EXISTS (SELECT FROM scheduled_tasks)")) {
      row.next();
      return row.getBoolean(1);
    }
  }
}
