package dev.millrace.store.postgres.chaos;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Disturbs the database, for all servers at once. */
final class DatabaseFaults {
  /** What can happen to the database. */
  enum Fault {
    TERMINATE_ALL,
    TERMINATE_SOME,
    RESTART_FAST,
    /** As a crash: what nobody has waited for is lost. */
    RESTART_IMMEDIATE,
    /** No connection is left for a server, and it has lost those that it had. */
    EXHAUST_CONNECTIONS,
    /** Every statement waits, until all connections of all pools do. */
    LOCK_TABLES,
    /** What servers work with is locked for longer than their lease, but not their own rows. */
    LOCK_WORK
  }

  private static final Set<String> LEASES = Set.of("servers", "leader_leases");

  private static final String BACKENDS =
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '"
          + ChaosDatabase.USER
          + "' AND application_name = 'millrace'";

  private final ChaosRun run;
  private final ChaosDatabase database;
  private final SplittableRandom random;
  private final FaultDeck<Fault> deck;

  DatabaseFaults(ChaosRun run, ChaosDatabase database) {
    this.run = run;
    this.database = database;
    this.random = run.random("database-faults");
    List<Fault> cards = new ArrayList<>(List.of(Fault.values()));
    cards.add(Fault.RESTART_IMMEDIATE); // what a crash meets is most up to chance
    this.deck = new FaultDeck<>(cards, random);
  }

  void step() throws IOException, InterruptedException, SQLException {
    run.linger(2_000 + random.nextInt(4_000));
    if (run.ended()) {
      return;
    }
    Fault fault = deck.draw();
    run.history().note(fault.toString());
    boolean done =
        switch (fault) {
          case TERMINATE_ALL -> terminate("");
          case TERMINATE_SOME -> terminate(" AND pid % 2 = " + random.nextInt(2));
          case RESTART_FAST -> restart("fast");
          case RESTART_IMMEDIATE -> restart("immediate");
          case EXHAUST_CONNECTIONS -> exhaust();
          case LOCK_TABLES -> lockTables(Set.of(), 500 + random.nextInt(4_000));
          case LOCK_WORK ->
              lockTables(
                  LEASES, (int) ChaosSettings.LEASE.toMillis() + 500 + random.nextInt(1_000));
        };
    run.history().note("end of " + fault);
    run.history().count((done ? "fault " : "no fault ") + fault);
  }

  private boolean restart(String mode) throws IOException, InterruptedException {
    database.restart(mode);
    return true;
  }

  private boolean terminate(String which) throws SQLException {
    try (Connection admin = database.admin();
        Statement statement = admin.createStatement();
        ResultSet rows = statement.executeQuery(BACKENDS + which)) {
      rows.next();
      return rows.getInt(1) > 0;
    }
  }

  private boolean exhaust() throws SQLException, InterruptedException {
    List<Connection> taken = new ArrayList<>();
    try {
      boolean full = fill(taken);
      terminate("");
      long end = System.nanoTime() + (1_000 + random.nextInt(4_000)) * 1_000_000L;
      while (!run.ended() && System.nanoTime() < end) {
        fill(taken);
        run.linger(20);
      }
      return full;
    } finally {
      for (Connection connection : taken) {
        connection.close();
      }
    }
  }

  /** Takes all connections that are left; returns whether it was refused one in the end. */
  private boolean fill(List<Connection> taken) throws InterruptedException {
    while (!run.ended()) {
      try {
        taken.add(database.direct());
      } catch (SQLException e) {
        return true;
      }
    }
    return false;
  }

  private boolean lockTables(Set<String> except, int millis)
      throws SQLException, InterruptedException {
    try (Connection admin = database.admin()) {
      List<String> tables = new ArrayList<>(SnapshotScanner.tables(admin));
      tables.removeIf(table -> except.stream().anyMatch(table::endsWith));
      admin.setAutoCommit(false);
      for (int tries = 0; tries < 20 && !run.ended(); tries++) {
        try (Statement statement = admin.createStatement()) {
          // shorter than the time after which a deadlock is looked for: not the servers give up
          statement.execute("SET lock_timeout = '300ms'");
          SnapshotScanner.lock(admin, tables, "ACCESS EXCLUSIVE");
          run.linger(millis);
          return true;
        } catch (SQLException e) {
          run.linger(100);
        } finally {
          admin.rollback();
        }
      }
      return false;
    }
  }
}
