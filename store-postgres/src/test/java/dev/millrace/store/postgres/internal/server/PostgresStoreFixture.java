package dev.millrace.store.postgres.internal.server;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.StoreFixture;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.db.Database;
import java.time.Duration;

/** A schema of the embedded database, empty at first. */
public final class PostgresStoreFixture implements StoreFixture {
  private final Database database = EmbeddedDatabase.emptied("one_server");

  @Override
  public JobStore open(ContractSettings settings) {
    return PostgresStore.open(database, options(settings));
  }

  static StoreOptions options(ContractSettings settings) {
    return new StoreOptions(
        "test",
        settings.clock(),
        settings.ids(),
        settings.random(),
        true,
        false,
        Duration.ofMinutes(5)); // a test may be held up
  }

  Database database() {
    return database;
  }

  @Override
  public void abandon(JobStore store) {
    ((PostgresStore) store).abandon();
  }

  @Override
  public Damage damage(JobId id) {
    return damage(database, id);
  }

  static Damage damage(Database database, JobId id) {
    database.update(
        "UPDATE @documents SET document = json_build_object('damaged', document) WHERE id = ?",
        id.value());
    return () ->
        database.update(
            "UPDATE @documents SET document = document -> 'damaged' WHERE id = ?", id.value());
  }
}
