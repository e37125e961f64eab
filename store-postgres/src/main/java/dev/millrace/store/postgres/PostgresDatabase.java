package dev.millrace.store.postgres;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.StoreIdentity;
import dev.millrace.core.move.TakenOutJob;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.HistoryPartitions;
import dev.millrace.store.postgres.internal.db.Migrations;
import dev.millrace.store.postgres.internal.move.MovedJobRows;
import dev.millrace.store.postgres.internal.read.DatabaseInspector;
import dev.millrace.store.postgres.internal.read.PostgresReader;
import dev.millrace.store.postgres.internal.read.ServerRows;
import dev.millrace.store.postgres.internal.rows.JobTables;
import dev.millrace.store.postgres.internal.rows.NoteRows;
import dev.millrace.store.postgres.internal.server.PostgresStore;
import dev.millrace.store.postgres.internal.server.StoreOptions;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A database that holds jobs. Any number of servers join it and share its queue; any process may
 * submit, read and use levers. Thread-safe.
 */
public final class PostgresDatabase implements AutoCloseable {
  private final Database database;

  private PostgresDatabase(Database database) {
    this.database = database;
  }

  /** Connects, and brings the tables to the version of this program; creates them if need be. */
  public static PostgresDatabase open(PostgresSettings settings) {
    return open(
        settings,
        database -> {
          Migrations migrations = new Migrations(database);
          boolean created = migrations.current() == 0;
          migrations.run();
          if (created) { // before the first job comes, which would keep its month from getting one
            new HistoryPartitions(database).prepare();
          }
        });
  }

  /**
   * Connects to a database that has the tables already; changes none of them.
   *
   * @throws StoreException if it has none, or those of an older version
   */
  public static PostgresDatabase openExisting(PostgresSettings settings) {
    return open(settings, database -> new Migrations(database).requireThere());
  }

  /** Whether there are tables in the schema. */
  public static boolean hasTables(PostgresSettings settings) {
    try (Database database = Database.of(settings)) {
      database.requireReachable();
      return new Migrations(database).current() > 0;
    }
  }

  private static PostgresDatabase open(PostgresSettings settings, Consumer<Database> prepare) {
    Database database = Database.of(settings);
    try {
      database.requireReachable();
      prepare.accept(database);
      return new PostgresDatabase(database);
    } catch (RuntimeException | Error e) {
      database.close();
      throw e;
    }
  }

  public PostgresSettings settings() {
    return database.settings();
  }

  /**
   * Joins the servers of the database, which take this one's tasks when it is closed or silent.
   *
   * @param name of this server, for people
   */
  public JobStore join(String name) {
    new HistoryPartitions(database).prepare();
    return PostgresStore.open(database, StoreOptions.of(name, database, true));
  }

  /** A store for a short command: it claims nothing, and does not listen to servers. */
  public JobStore visit(String name) {
    return PostgresStore.open(database, StoreOptions.of(name, database, false));
  }

  /**
   * The database for itself alone, to move its jobs elsewhere: no server is there, and none can
   * join before the store is closed.
   *
   * @param name of this process, for people
   * @throws StoreException if a server lives, or another move runs
   */
  public MovableStore ownToMove(String name) {
    return openToMove(name, true);
  }

  /** The database to move jobs into it; servers may process them as they come. */
  public MovableStore visitToMove(String name) {
    new HistoryPartitions(database).prepare();
    return openToMove(name, false);
  }

  private MovableStore openToMove(String name, boolean out) {
    StoreOptions options = StoreOptions.of(name, database, false);
    return PostgresStore.openToMove(database, options, out).movable();
  }

  /** What no other store has; empty before the first move out of it or into it. */
  public Optional<String> identity() {
    return StoreIdentity.known(new NoteRows(database));
  }

  /** A job that was taken out to move it to another store; empty if there is none with this id. */
  public Optional<TakenOutJob> takenOut(JobId id) {
    return new MovedJobRows(database).find(id);
  }

  /** All jobs that were taken out and are still kept here, moved or not. */
  public void forEachTakenOut(Consumer<TakenOutJob> jobs) {
    new MovedJobRows(database).forEach(jobs);
  }

  /** Reads jobs. */
  public JobReader reader() {
    return new PostgresReader(database, JobTables.of(database));
  }

  /** Says what a server of this process serves; {@link #servers} shows it to others. */
  public void announce(JobStore store, JsonObject info, boolean ready) {
    ((PostgresStore) store).announce(info, ready);
  }

  /** The servers that live. */
  public List<RunningServer> servers() {
    return servers(database);
  }

  private static List<RunningServer> servers(Database database) {
    return new ServerRows(database)
        .alive().stream()
            .filter(it -> !it.info().values().isEmpty()) // else it is a short command
            .map(it -> new RunningServer(it.epoch(), it.name(), it.ready(), it.info()))
            .toList();
  }

  /** Looks at a database without changing it. */
  public static DatabaseStatus inspect(PostgresSettings settings) {
    try (Database database = Database.of(settings)) {
      database.requireReachable();
      DatabaseInspector inspector = new DatabaseInspector(database);
      Migrations migrations = new Migrations(database);
      int version = migrations.current();
      int minimum = migrations.minimum();
      boolean there = version > 0 && minimum <= migrations.latest();
      return new DatabaseStatus(
          inspector.setting("server_version"),
          Integer.parseInt(inspector.setting("server_version_num")),
          version,
          minimum,
          migrations.latest(),
          inspector.setting("fsync").equals("on")
              && inspector.setting("full_page_writes").equals("on"),
          inspector.freeConnections(),
          inspector.isEncrypted(),
          inspector.clockAhead(),
          there ? servers(database) : List.of(),
          there ? inspector.unreadable() : Map.of(),
          there ? inspector.onTheWay() : Map.of());
    }
  }

  /** Closes the connections, also those of its stores: close these first. */
  @Override
  public void close() {
    database.close();
  }
}
