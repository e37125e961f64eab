package dev.millrace.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.settings.PostgresSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who only reads makes no tables; who makes them also makes those of this month. */
class ExistingTablesTest {
  private final Database database = EmbeddedDatabase.newDatabase();
  private final PostgresSettings settings = database.settings();

  @AfterEach
  void drop() {
    EmbeddedDatabase.drop(database);
  }

  @Test
  void whoeverNeedsTablesIsToldThatThereAreNone() {
    assertThat(PostgresDatabase.hasTables(settings)).isFalse();
    assertThatThrownBy(() -> PostgresDatabase.openExisting(settings))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("there are no tables in the schema " + settings.schema() + " of ")
        .hasMessageContaining("; correct the address (schema=…), or start a server on it");
    assertThat(database.isTrue("SELECT to_regnamespace(?) IS NULL", settings.schema())).isTrue();
    PostgresDatabase.open(settings).close();
    assertThat(PostgresDatabase.hasTables(settings)).isTrue();
    PostgresDatabase.openExisting(settings).close();
  }

  @Test
  void olderTablesAreNotUpgradedByWhoeverReadsThem() {
    PostgresDatabase.open(settings).close();
    database.update("DELETE FROM @schema_versions WHERE version > 3");
    assertThatThrownBy(() -> PostgresDatabase.openExisting(settings))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("have version 3, and this program needs version ")
        .hasMessageContaining("; start a server of this version first");
  }

  @Test
  void theFirstJobOfACommandIsInThePartitionOfItsMonth() {
    try (PostgresDatabase opened = PostgresDatabase.open(settings);
        JobStore store = opened.visit("test")) {
      store.submit(JobSpec.prompt("a", "hello"));
    }
    assertThat(database.list("SELECT id FROM @documents", row -> row.getString(1))).hasSize(1);
    assertThat(database.list("SELECT id FROM @documents_rest", row -> row.getString(1))).isEmpty();
  }
}
