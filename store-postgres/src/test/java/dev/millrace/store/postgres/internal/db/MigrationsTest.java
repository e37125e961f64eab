package dev.millrace.store.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.internal.db.Migrations.Migration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Migrations run once, whoever starts them, and a server refuses only what it cannot use. */
class MigrationsTest {
  private static final Migration FIRST = new Migration(1, 1, "CREATE TABLE @one (id int)");
  private static final Migration EXPANDING =
      new Migration(2, 1, "ALTER TABLE @one ADD COLUMN name text");
  private static final Migration CONTRACTING =
      new Migration(3, 2, "ALTER TABLE @one DROP COLUMN id");

  private final Database database = EmbeddedDatabase.newDatabase();

  @AfterEach
  void drop() {
    EmbeddedDatabase.drop(database);
  }

  private Migrations version(Migration... migrations) {
    return new Migrations(database, List.of(migrations), Duration.ofSeconds(20));
  }

  @Test
  void anEmptySchemaGetsAllTables() {
    Migrations migrations = new Migrations(database);
    assertThat(migrations.current()).isZero();
    migrations.run();
    assertThat(migrations.current()).isEqualTo(migrations.latest());
    migrations.run();
    assertThat(database.list("SELECT key FROM @jobs", row -> row.getLong(1))).isEmpty();
  }

  @Test
  void serversThatStartAtOnceRunEachMigrationOnce() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        all.add(threads.submit(() -> new Migrations(database).run()));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
    assertThat(database.list("SELECT version FROM @schema_versions", row -> row.getInt(1)))
        .hasSize(new Migrations(database).latest());
  }

  @Test
  void anOlderServerUsesASchemaThatWasOnlyExpanded() {
    version(FIRST, EXPANDING).run();
    assertThatCode(() -> version(FIRST).run()).doesNotThrowAnyException();
  }

  @Test
  void anOlderServerRefusesASchemaThatWasContracted() {
    version(FIRST, EXPANDING, CONTRACTING).run();
    assertThatCode(() -> version(FIRST, EXPANDING).run()).doesNotThrowAnyException();
    assertThatThrownBy(() -> version(FIRST).run())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("needs at least version 2")
        .hasMessageContaining("this program knows version 1; upgrade this server");
  }

  /** As behind a backup: the next one that asks for the table would queue behind it. */
  @Test
  void aMigrationLetsOthersPassWhileItWaitsForALock() throws Exception {
    version(FIRST).run();
    Migration alters = new Migration(2, 1, "ALTER TABLE @one ADD COLUMN more int");
    CompletableFuture<Void> migration =
        database.inTransaction(
            backup -> {
              backup.list("SELECT * FROM @one", row -> row);
              CompletableFuture<Void> waiting =
                  CompletableFuture.runAsync(() -> version(FIRST, alters).run());
              while (!isWaitingToAlter()) {
                Thread.onSpinWait();
              }
              database.list("SELECT * FROM @one", row -> row); // stands behind it, and passes
              assertThat(waiting).isNotDone();
              return waiting;
            });
    migration.get(20, TimeUnit.SECONDS);
    assertThat(version(FIRST, alters).current()).isEqualTo(2);
  }

  private boolean isWaitingToAlter() {
    return database.isTrue(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND query LIKE ?)",
        "ALTER TABLE \"" + database.settings().schema() + "\".%");
  }

  @Test
  void aMigrationGivesUpAfterALongTime() {
    version(FIRST).run();
    Migration alters = new Migration(2, 1, "ALTER TABLE @one ADD COLUMN more int");
    database.inTransaction(
        backup -> {
          backup.list("SELECT * FROM @one", row -> row);
          Migrations impatient = new Migrations(database, List.of(FIRST, alters), Duration.ZERO);
          assertThatThrownBy(impatient::run)
              .isInstanceOf(StoreException.class)
              .hasMessageContaining("other transactions (a backup, a report) have held locks")
              .hasMessageContaining("start this server again when they have ended");
          return null;
        });
  }

  @Test
  void aMigrationThatFailsLeavesNothing() {
    version(FIRST).run();
    Migration broken = new Migration(2, 1, "CREATE TABLE @two (id int); SELECT 1 / 0");
    assertThatThrownBy(() -> version(FIRST, broken).run()).isInstanceOf(StoreException.class);
    assertThat(version(FIRST).current()).isEqualTo(1);
    assertThat(database.isTrue("SELECT to_regclass(?) IS NULL", database.inSchema("@two")))
        .isTrue();
  }
}
