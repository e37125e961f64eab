package dev.millrace.store.postgres;

import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.Migrations;
import dev.millrace.store.postgres.internal.read.PostgresReader;
import dev.millrace.store.postgres.internal.rows.JobTables;
import dev.millrace.store.postgres.internal.server.PostgresStore;
import dev.millrace.store.postgres.internal.server.StoreOptions;
import dev.millrace.store.postgres.settings.PostgresSettings;

/**
 * A database that holds jobs. Any number of servers join it and share its queue; any process may
 * submit, read and use levers. Thread-safe.
 */
public final class PostgresDatabase implements AutoCloseable {
  private final Database database;

  private PostgresDatabase(Database database) {
    this.database = database;
  }

  /** Connects, and brings the tables to the version of this program. */
  public static PostgresDatabase open(PostgresSettings settings) {
    Database database = Database.of(settings);
    try {
      new Migrations(database).run();
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
   * Joins the servers of the database, which may take this one's tasks when it is closed or silent.
   *
   * @param name of this server, for people
   */
  public JobStore join(String name) {
    return PostgresStore.open(database, StoreOptions.of(name, database, true));
  }

  /** Reads jobs. */
  public JobReader reader() {
    return new PostgresReader(database, JobTables.of(database));
  }

  /** Closes the connections, also those of its stores: close these first. */
  @Override
  public void close() {
    database.close();
  }
}
