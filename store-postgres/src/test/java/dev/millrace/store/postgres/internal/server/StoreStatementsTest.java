package dev.millrace.store.postgres.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import dev.millrace.store.postgres.fixture.PlanReader;
import dev.millrace.store.postgres.internal.db.Database;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Of all statements that a store runs, none has to read a whole table of jobs, or of what belongs to
 * them: where an index can help, the database uses one, whatever it is told of the tables' sizes.
 */
@Tag("slow")
class StoreStatementsTest {
  private static final Cause ANNA = Cause.user("anna", null);
  private static final Pattern WHOLE = Pattern.compile("(?:Seq Scan on|Hash Join.*) (\\w+)");
  private static final Pattern EXPLAINED =
      Pattern.compile("\\s*\\(?(SELECT|WITH|INSERT|UPDATE|DELETE)\\b.*", Pattern.DOTALL);

  /** These stay small, or are read whole on purpose. */
  private static final Set<String> SMALL =
      Set.of(
          "counts",
          "incarnation",
          "changes",
          "servers",
          "unreadable_jobs",
          "pg_class",
          "pg_namespace");

  /** The first server gives all leases of remote workers their whole time again. */
  private static final String RESTARTS_ALL = "UPDATE @leases SET until = ?::timestamptz + length";

  private final Database database = EmbeddedDatabase.migrated();
  private final PostgresStore store =
      PostgresStore.open(
          database,
          PostgresStoreFixture.options(ContractSettings.of(new ManualClock(Instant.now()))));

  @AfterEach
  void close() {
    store.close();
    EmbeddedDatabase.drop(database);
  }

  private List<Claim> claim(int count, @Nullable Duration lease) {
    return store.claim(new ClaimRequest(Set.of("a"), count, "worker", lease));
  }

  private JobId submit(int tasks) {
    List<TaskSpec> specs =
        IntStream.range(0, tasks).mapToObj(i -> TaskSpec.of("input " + i)).toList();
    return store.submit(
        JobSpec.builder()
            .name("test")
            .stages(List.of(StageSpec.of("a", specs)))
            .webhooks(List.of(new Webhook("http://receiver/", Set.of(Webhook.Event.COMPLETED))))
            .build());
  }

  /** What servers, users and workers do. */
  private void useAll() {
    JobId small = submit(2);
    Claim first = claim(1, null).getFirst();
    store.freeze(first, JsonObject.create().put("seed", 7));
    store.appendJournal(first, new OutputChunk(List.of(1), List.of("a")));
    store.writeJournalsNow();
    store.heartbeat(first, true);
    store.outputSoFar(small, 1, 1, 0);
    store.complete(first, TaskResult.of("one"));
    Claim remote = claim(1, Duration.ofMinutes(1)).getFirst();
    store.heartbeat(remote, true);
    store.appendJournal(remote, new OutputChunk(List.of(), List.of("b")));
    store.fail(remote, Failure.permanent("broken"));
    JobId again = store.retry(RetryRequest.of(small)).id();
    JobId large = submit(1_500);
    claim(3, null).forEach(each -> store.release(each, "test"));
    store.pause(large, ANNA);
    store.resume(large, ANNA);
    store.addTasks(large, 1, List.of(TaskSpec.of("more")), ANNA);
    store.abort(large, ANNA);
    store.sweep();
    store.isIdle(Set.of("a"));
    store.renewNow();
    store.leaderLease("test").close();
    read(large);
    store.list(Query.all().newest(10)).forEach(store::find);
    store.abort(again, ANNA);
    store.prune(Instant.now().plusSeconds(60), Set.of(JobState.values()));
  }

  private void read(JobId id) {
    store.find(id);
    store.spec(id);
    store.tasks(id, 1, 1, 10);
    store.events(id, 0, 10);
    store.partialOutput(id, 1, 1);
    store.queuePosition(id);
    store.queueStats();
    store.statusCounts();
    store.readNote("webhooks", id.value());
    store.noteNames("webhooks");
  }

  private static boolean isExplained(String statement) {
    return EXPLAINED.matcher(statement).matches()
        && !statement.contains("@schema_versions")
        && !statement.equals(RESTARTS_ALL);
  }

  @Test
  void noStatementReadsAWholeTableOfJobs() throws SQLException {
    useAll();
    List<String> wrong = new ArrayList<>();
    int explained = 0;
    try (PlanReader plans = PlanReader.of(database)) {
      for (String statement : database.statements()) {
        if (isExplained(statement)) {
          explained++;
          Matcher whole = WHOLE.matcher(plans.plan(statement));
          while (whole.find()) {
            if (!SMALL.contains(whole.group(1))) {
              wrong.add(whole.group() + ": " + statement);
            }
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(explained).isGreaterThan(30);
    assertThat(database.statements())
        .as("insertions of jobs, and of journals")
        .anyMatch(it -> it.contains("INSERT INTO @job_ids") && it.contains("INSERT INTO @jobs"))
        .anyMatch(it -> it.contains("INSERT INTO @journal"));
  }
}
