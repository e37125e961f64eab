package dev.millrace.bench.database;

import dev.millrace.store.postgres.settings.PostgresSettings;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The least that a queue on this database can do: one table, no types, priorities, leases, logs or
 * results of their own. Each connection claims a batch by one statement and completes it by
 * another.
 */
public final class BareProbe {
  private static final String CLAIM =
      """
      UPDATE queue SET state = 1 WHERE id = ANY (ARRAY(
        SELECT id FROM queue WHERE state = 0 ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED))
      RETURNING id, payload\
      """;
  private static final String COMPLETE =
      "UPDATE queue SET state = 2, result = 'r' WHERE id = ANY (?)";
  private static final int BATCH = 100;

  private final BenchPostgres postgres;
  private final int jobs;
  private final int connections;

  public BareProbe(BenchPostgres postgres, int jobs, int connections) {
    this.postgres = postgres;
    this.jobs = jobs;
    this.connections = connections;
  }

  /** Jobs per second of all connections together. */
  public double perSecond() throws Exception {
    PostgresSettings database = postgres.newDatabase();
    try {
      BenchPostgres.execute(
          database,
          "CREATE TABLE queue (id bigint PRIMARY KEY, state smallint NOT NULL,"
              + " payload text NOT NULL, result text)",
          "INSERT INTO queue SELECT i, 0, 'p' FROM generate_series(1, " + jobs + ") AS i",
          "CREATE INDEX ON queue (id) WHERE state = 0");
      BenchPostgres.settle(database);
      return drain(database);
    } finally {
      postgres.drop(database);
    }
  }

  private double drain(PostgresSettings database) throws Exception {
    List<Connection> open = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(connections)) {
      for (int i = 0; i < connections; i++) {
        open.add(BenchPostgres.connect(database));
      }
      long start = System.nanoTime();
      List<Future<Integer>> shares = new ArrayList<>();
      for (Connection connection : open) {
        shares.add(threads.submit(() -> drain(connection)));
      }
      int done = 0;
      for (Future<Integer> share : shares) {
        done += share.get();
      }
      if (done != jobs) {
        throw new IllegalStateException("the probe did " + done + " jobs of " + jobs);
      }
      return jobs * 1e9 / (System.nanoTime() - start);
    } finally {
      for (Connection connection : open) {
        connection.close();
      }
    }
  }

  private static int drain(Connection connection) throws SQLException {
    int done = 0;
    try (PreparedStatement claim = connection.prepareStatement(CLAIM);
        PreparedStatement complete = connection.prepareStatement(COMPLETE)) {
      claim.setInt(1, BATCH);
      List<Long> ids = claim(claim);
      while (!ids.isEmpty()) {
        Array array = connection.createArrayOf("bigint", ids.toArray());
        complete.setArray(1, array);
        done += complete.executeUpdate();
        ids = claim(claim);
      }
    }
    return done;
  }

  private static List<Long> claim(PreparedStatement claim) throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (ResultSet rows = claim.executeQuery()) {
      while (rows.next()) {
        ids.add(rows.getLong(1));
      }
    }
    return ids;
  }
}
