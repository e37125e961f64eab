package dev.millrace.store.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.fixture.LoggedLines;
import dev.millrace.store.postgres.fixture.PgBouncer;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pooler in transaction mode is noticed, and what needs a session goes around it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PoolerTest {
  private static final String PREPARED = "SELECT count(*) FROM pg_prepared_statements";
  private static PgBouncer pooler;

  private final String schema = EmbeddedDatabase.newSchema();
  private final List<Database> opened = new ArrayList<>();

  @BeforeAll
  static void start() {
    assumeTrue(PgBouncer.program().isPresent(), "needs pgbouncer");
    pooler = PgBouncer.inFrontOf(EmbeddedDatabase.port());
  }

  @AfterAll
  static void stop() {
    if (pooler != null) {
      pooler.close();
    }
  }

  @AfterEach
  void close() {
    EmbeddedDatabase.drop(database(EmbeddedDatabase.port(), ""));
    opened.forEach(Database::close);
  }

  private Database database(int port, String parameters) {
    return open("postgresql://postgres@127.0.0.1:" + port, parameters, Map.of());
  }

  private Database open(String server, String parameters, Map<String, String> environment) {
    Database database =
        Database.of(
            PostgresSettings.parse(
                server + "/postgres?schema=" + schema + parameters, environment));
    opened.add(database);
    return database;
  }

  private static String direct() {
    return "&direct=127.0.0.1:" + EmbeddedDatabase.port();
  }

  /** How many statements sessions have prepared while one was used often. */
  private static List<Long> prepared(Database database) {
    List<Long> counts = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      counts.add(database.first(PREPARED, row -> row.getLong(1)).orElseThrow());
    }
    return counts;
  }

  @Test
  void statementsArePreparedInTheDatabaseButNotBehindAPooler() {
    assertThat(prepared(database(EmbeddedDatabase.port(), ""))).last().isEqualTo(1L);
    assertThat(prepared(database(pooler.port(), ""))).containsOnly(0L);
    assertThat(prepared(database(pooler.port(), direct()))).containsOnly(0L);
  }

  @Test
  void settingsOfASessionAreNotLeftToOthers() {
    try (PgBouncer own = PgBouncer.inFrontOf(EmbeddedDatabase.port())) {
      String setting = "SELECT current_setting('enable_hashjoin')";
      assertThat(database(own.port(), "").first(setting, row -> row.getString(1))).contains("on");
      assertThat(database(EmbeddedDatabase.port(), "").first(setting, row -> row.getString(1)))
          .contains("off");
    }
  }

  @Test
  void anAddressThatInsistsOnPreparingFailsWithAdvice() {
    try (PgBouncer own = PgBouncer.inFrontOf(EmbeddedDatabase.port())) { // sessions keep statements
      assertThat(prepared(database(own.port(), "&prepareThreshold=0"))).containsOnly(0L);
      String insisting = "&prepareThreshold=5";
      assertThat(prepared(database(own.port(), insisting))).last().isEqualTo(1L);
      assertThatThrownBy(() -> prepared(database(own.port(), insisting)))
          .as("the session has the statement of that name of another client")
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("prepared statement")
          .hasMessageContaining("; a pooler in transaction mode mixes up prepared statements: take")
          .hasMessageContaining("or write prepareThreshold=0");
    }
  }

  @Test
  void transactionsAndMigrationsPassThePooler() {
    Database database = database(pooler.port(), "");
    database.requireReachable();
    new Migrations(database).run();
    List<Integer> sum =
        database.inTransaction(
            all -> {
              all.update("CREATE TABLE @numbers (number int)");
              all.update("INSERT INTO @numbers SELECT generate_series(1, 3)");
              return all.list("SELECT sum(number)::int FROM @numbers", row -> row.getInt(1));
            });
    assertThat(sum).containsExactly(6);
  }

  @Test
  void migrationsGoToTheDirectAddress() {
    try (PgBouncer narrow = PgBouncer.inFrontOf(EmbeddedDatabase.port(), "pool_mode = statement")) {
      assertThatThrownBy(() -> new Migrations(database(narrow.port(), "")).run())
          .as("this pooler lets no transaction pass")
          .isInstanceOf(StoreException.class);
      assertThatCode(() -> new Migrations(database(narrow.port(), direct())).run())
          .doesNotThrowAnyException();
    }
  }

  /** Listens once, and returns how many sessions do so. */
  private long listeners(Database database, LoggedLines log) throws InterruptedException {
    new Migrations(database(EmbeddedDatabase.port(), "")).run();
    try (ChangeListener listener = new ChangeListener(database, 1)) {
      listener.await();
      listener.await();
      assertThat(log.lines()).hasSizeLessThan(2);
      return database
          .first(
              "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND query LIKE ?",
              row -> row.getLong(1), "%" + schema + "%")
          .orElseThrow();
    }
  }

  @Test
  void aServerListensAtTheDirectAddress() throws InterruptedException {
    try (LoggedLines log = LoggedLines.of("dev.millrace.store")) {
      assertThat(listeners(database(pooler.port(), direct()), log)).isEqualTo(1);
      assertThat(log.lines()).isEmpty();
    }
  }

  @Test
  void withoutADirectAddressAServerSaysThatItPolls() throws InterruptedException {
    try (LoggedLines log = LoggedLines.of("dev.millrace.store")) {
      assertThat(listeners(database(pooler.port(), ""), log)).isZero();
      assertThat(log.lines())
          .singleElement()
          .asString()
          .contains("a pooler is in front of the database")
          .contains("add direct=HOST:PORT of the database to the address");
    }
  }

  @Test
  void aServerWarnsOnceOfADirectAddressThatDoesNotAnswer() throws InterruptedException {
    try (LoggedLines log = LoggedLines.of("dev.millrace.store")) {
      assertThat(listeners(database(pooler.port(), "&direct=127.0.0.1:1"), log)).isZero();
      assertThat(log.lines())
          .singleElement()
          .asString()
          .startsWith("WARNING: no notifications; looking for changes twice a second")
          .contains("direct=127.0.0.1:1")
          .contains("check that it runs and can be reached");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void serversBehindAPoolerHearOfEachOther(boolean listens) throws InterruptedException {
    BlockingQueue<JobId> changed = new LinkedBlockingQueue<>();
    PostgresSettings settings = database(pooler.port(), listens ? direct() : "").settings();
    try (PostgresDatabase shared = PostgresDatabase.open(settings);
        JobStore one = shared.join("one");
        JobStore other = shared.join("other")) {
      other.onChange(changed::add);
      JobId id = one.submit(JobSpec.of(List.of(StageSpec.of("a", List.of(TaskSpec.of("1"))))));
      assertThat(changed.poll(30, TimeUnit.SECONDS)).isEqualTo(id);
      Claim claim = other.claim(new ClaimRequest(Set.of("a"), 1, "worker", null)).getFirst();
      assertThat(other.complete(claim, TaskResult.of("one"))).isEqualTo(Outcome.DONE);
      assertThat(one.state(id)).contains(JobState.COMPLETED);
    }
  }

  @Test
  void theErrorsOfAPoolerSayWhatToDo(@TempDir Path dir) throws Exception {
    Path users = Files.writeString(dir.resolve("users"), "\"anna\" \"s3cret\"\n");
    assertThat(dir.toFile().setExecutable(true, false)).as("its user may read them").isTrue();
    try (PgBouncer strict =
        PgBouncer.inFrontOf(
            EmbeddedDatabase.port(), "auth_type = scram-sha-256", "auth_file = " + users)) {
      String anna = "postgresql://anna@127.0.0.1:" + strict.port();
      open(anna, "", Map.of("PGPASSWORD", "s3cret")).requireReachable();
      assertThatThrownBy(() -> open(anna, "", Map.of("PGPASSWORD", "wr0ng")).requireReachable())
          .hasMessageContaining("postgresql://anna@127.0.0.1:" + strict.port() + "/postgres")
          .hasMessageContaining("authentication failed; check the user and the password")
          .hasMessageNotContaining("wr0ng");
    }
    try (PgBouncer small = PgBouncer.inFrontOf(EmbeddedDatabase.port(), "max_client_conn = 1")) {
      Database one = database(small.port(), "");
      assertThat(one.isTrue("SELECT true")).as("it keeps its connection").isTrue();
      assertThatThrownBy(() -> database(small.port(), "").requireReachable())
          .hasMessageContaining("raise max_client_conn of the pooler, or lower connections=");
    }
  }
}
