package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The route that deletes old finished jobs. */
class PruneRoutesTest {
  private static final String PATH = "/v1/jobs/prune";

  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  /** Makes a job that ends now, as aborted; each a second after the last. */
  private String ended() {
    api.clock.advance(Duration.ofSeconds(1));
    String job = api.job();
    api.put("/v1/jobs/" + job + "/status", "{'status':'ABORTED'}");
    return job;
  }

  private Instant now() {
    return api.clock.instant();
  }

  private String body(Instant before, String more) {
    return "{'before':'" + before + "'" + more + "}";
  }

  private int jobs() {
    return api.store.list(Query.all()).size();
  }

  @Test
  void dryRunListsTheJobsAndDeletesNone() {
    String old = ended();
    api.job(); // runs
    Instant between = now().plusMillis(500);
    ended();
    ApiReply reply = api.post(PATH, body(between, ",'dryRun':true"));
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.object().integer("pruned")).isZero();
    JsonObject job = JsonObject.of(reply.object().list("jobs").getFirst(), "job");
    assertThat(reply.object().list("jobs")).hasSize(1);
    assertThat(job.string("id")).isEqualTo(old);
    JobId own = new JobId(job.string("ownId"));
    assertThat(EntityId.of(own)).hasToString(old);
    assertThat(job.string("status")).isEqualTo("ABORTED");
    assertThat(Instant.parse(job.string("endTime"))).isBefore(between);
    assertThat(jobs()).isEqualTo(3);
  }

  @Test
  void onlyOldEndedJobsAreDeleted() {
    String old = ended();
    String running = api.job();
    Instant between = now().plusMillis(500);
    String young = ended();
    ApiReply reply = api.post(PATH, body(between, ""));
    assertThat(reply.object().toString()).isEqualTo("{\"pruned\":1}");
    assertThat(api.get("/v1/jobs/" + old).brief()).isEqualTo("404 JOB_NOT_FOUND");
    assertThat(api.get("/v1/jobs/" + running).status()).isEqualTo(200);
    assertThat(api.get("/v1/jobs/" + young).status()).isEqualTo(200);
    assertThat(api.post(PATH, body(between, "")).object().integer("pruned")).isZero();
  }

  @Test
  void jobsOfOtherStatesStay() {
    ended();
    Instant later = now().plusSeconds(1);
    String others = ",'states':['COMPLETED','FAILED']";
    assertThat(api.post(PATH, body(later, others)).object().integer("pruned")).isZero();
    assertThat(api.post(PATH, body(later, others + ",'dryRun':true")).object().list("jobs"))
        .isEmpty();
    assertThat(api.post(PATH, body(later, ",'states':['ABORTED']")).object().integer("pruned"))
        .isOne();
  }

  @Test
  void dryRunComesInPages() {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      made.add(ended());
      api.job(); // jobs that have not ended do not count
    }
    String body = body(now().plusSeconds(1), ",'dryRun':true");
    List<String> listed = new ArrayList<>();
    String cursor = null;
    int pages = 0;
    do {
      ApiReply page =
          api.post(PATH + "?limit=2" + (cursor == null ? "" : "&cursor=" + cursor), body);
      page.object().list("jobs").forEach(job -> listed.add(JsonObject.of(job, "job").string("id")));
      cursor = page.header("X-Next-Cursor");
      pages++;
    } while (cursor != null);
    assertThat(listed).isEqualTo(made);
    assertThat(pages).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                                  | before
          {'before':'yesterday'}                              | request/body/before
          {'before':'2026-01-01T00:00:00Z','states':[]}       | request/body/states
          {'before':'2026-01-01T00:00:00Z','states':['PENDING']} | request/body/states
          {'before':'2026-01-01T00:00:00Z','dryrun':true}     | dryrun
          {'before':'2026-01-01T00:00:00Z','dryRun':'yes'}    | request/body/dryRun
          []                                                  | request/body
          """,
      quoteCharacter = '`')
  void badInputIsRefusedByName(String body, String named) {
    ended();
    ApiReply reply = api.post(PATH, body);
    assertThat(reply.brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(reply.message()).contains(named);
    assertThat(jobs()).isOne();
  }

  @ParameterizedTest
  @CsvSource({"limit=2,", "limit=2,false", "cursor=x,"})
  void pagesAreForADryRunOnly(String query, String dryRun) {
    ended();
    String more = dryRun == null ? "" : ",'dryRun':" + dryRun;
    ApiReply reply = api.post(PATH + "?" + query, body(now().plusSeconds(1), more));
    assertThat(reply.brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(reply.message()).contains("request/query/" + query.split("=")[0], "dryRun");
    assertThat(jobs()).isOne();
  }

  @Test
  void onlyPostIsAllowed() {
    assertThat(api.get(PATH).brief()).isEqualTo("405 METHOD_NOT_ALLOWED");
  }

  /** Deleting many jobs at once needs more than a key that may delete one. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void keyNeedsTheScopeAdmin(KeyScope scope, @TempDir Path directory) throws Exception {
    ended();
    int status =
        api.statusWithScope(
            scope,
            directory,
            uri ->
                HttpRequest.newBuilder(uri.resolve(PATH))
                    .header("Content-Type", "application/json")
                    .POST(
                        BodyPublishers.ofString(
                            JobnikTestServer.json(body(now().plusSeconds(1), "")))));
    boolean admin = scope == KeyScope.ADMIN;
    assertThat(status).isEqualTo(admin ? 200 : 403);
    assertThat(jobs()).isEqualTo(admin ? 0 : 1);
  }
}
