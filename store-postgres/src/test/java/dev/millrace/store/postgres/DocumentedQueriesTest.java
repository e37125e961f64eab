package dev.millrace.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.postgres.fixture.EmbeddedDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The queries that the page for operators shows do what it says. */
class DocumentedQueriesTest {
  private static final Path PAGE = Path.of("..", "docs", "postgres.md");
  private static final Pattern BLOCK = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

  private final String schema = EmbeddedDatabase.newSchema();
  private final PostgresDatabase database =
      PostgresDatabase.open(EmbeddedDatabase.settings(schema));
  private JobId done;

  @BeforeEach
  void fill() {
    try (JobStore store = database.join("test")) {
      done = store.submit(JobSpec.of(List.of(StageSpec.of("a", List.of(TaskSpec.of("x"))))));
      Claim claim = store.claim(new ClaimRequest(Set.of("a"), 1, "worker", null)).getFirst();
      assertThat(store.complete(claim, TaskResult.of("the answer"))).isEqualTo(Outcome.DONE);
      store.submit(JobSpec.of(List.of(StageSpec.of("a", List.of(TaskSpec.of("y"))))));
    }
  }

  @AfterEach
  void drop() throws SQLException {
    database.close();
    query("DROP SCHEMA \"" + schema + "\" CASCADE");
  }

  private List<List<String>> query(String sql) throws SQLException {
    List<List<String>> found = new ArrayList<>();
    try (Connection connection =
            DriverManager.getConnection(database.settings().jdbcUrl(), "postgres", "");
        Statement statement = connection.createStatement()) {
      if (statement.execute(
          sql.replace("millrace.", "\"" + schema + "\".")
              .replace("'millrace'", "'" + schema + "'"))) {
        ResultSet rows = statement.getResultSet();
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= columns; i++) {
            row.add(rows.getString(i));
          }
          found.add(row);
        }
      }
    }
    return found;
  }

  @Test
  void everyQueryOfThePageRuns() throws IOException, SQLException {
    int queries = 0;
    Matcher blocks = BLOCK.matcher(Files.readString(PAGE));
    while (blocks.find()) {
      for (String sql : blocks.group(1).split(";\\s*\n")) {
        if (sql.contains("SELECT") && !sql.contains("GRANT")) {
          query(sql);
          queries++;
        }
      }
    }
    assertThat(queries).isGreaterThan(7);
  }

  @Test
  void aNulCharacterOfOneJobDoesNotBreakTheViews() throws SQLException {
    String nul = "a\0\0b \\\0 \\u0000"; // the last one is text
    String shown = "ab \\ \\u0000";
    try (JobStore store = database.join("test")) {
      JobId id = store.submit(JobSpec.of(List.of(StageSpec.of("n", List.of(TaskSpec.of(nul))))));
      JobId other = store.submit(JobSpec.of(List.of(StageSpec.of("n", List.of(TaskSpec.of(nul))))));
      Claim claim = store.claim(new ClaimRequest(Set.of("n"), 1, "worker", null)).getFirst();
      store.log(claim, "info", nul);
      assertThat(store.complete(claim, TaskResult.of(nul))).isEqualTo(Outcome.DONE);
      Claim failed = store.claim(new ClaimRequest(Set.of("n"), 1, "worker", null)).getFirst();
      store.fail(failed, Failure.permanent(nul));
      assertThat(query("SELECT text FROM millrace.job_results WHERE id = '" + id + "'"))
          .containsExactly(List.of(shown));
      assertThat(
              query(
                  "SELECT count(*) FROM millrace.job_log WHERE id = '"
                      + other
                      + "' AND entry ->> 'event' = 'fail'"))
          .isNotEqualTo(List.of(List.of("0")));
      assertThat(query("SELECT document -> 'stages' -> 0 ->> 'type' FROM millrace.job_list"))
          .hasSize(4);
      assertThat(query("SELECT count(event) FROM millrace.job_log")).hasSize(1);
    }
  }

  @Test
  void theViewsShowTheJobsTheirLogsAndTheirResults() throws SQLException {
    assertThat(query("SELECT state, count(*) FROM millrace.job_list GROUP BY state ORDER BY state"))
        .containsExactly(List.of("COMPLETED", "1"), List.of("PENDING", "1"));
    assertThat(
            query("SELECT stage, task, text FROM millrace.job_results WHERE id = '" + done + "'"))
        .containsExactly(List.of("1", "1", "the answer"));
    assertThat(
            query(
                "SELECT \"on\", event FROM millrace.job_log WHERE id = '"
                    + done
                    + "' ORDER BY number"))
        .startsWith(List.of("job", "submit"))
        .endsWith(List.of("job", "complete"))
        .contains(List.of("task", "claim"));
  }
}
