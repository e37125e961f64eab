package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.LogCapture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same for many jobs, over sockets and with keys. */
class BulkRoutesTest {
  @TempDir Path dir;
  private KeyedTestServer api;
  private LogCapture log;

  @BeforeEach
  void open() throws IOException {
    api = new KeyedTestServer(dir);
    log = new LogCapture();
  }

  @AfterEach
  void close() {
    log.close();
    api.close();
  }

  private KeyedTestServer.Reply bulk(String who, String action, List<String> jobs, String more) {
    String ids = jobs.stream().map(id -> "'" + id + "'").collect(Collectors.joining(","));
    return api.send(
        who,
        "POST",
        "/v1/jobs/bulk",
        "{'action':'" + action + "','jobs':[" + ids + "]" + more + "}");
  }

  private static List<JsonObject> outcomes(KeyedTestServer.Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.object().list("outcomes").stream().map(it -> JsonObject.of(it, "it")).toList();
  }

  private String status(String job) {
    return api.get("reader", "/v1/jobs/" + job).object().string("status");
  }

  private JsonObject lastEntry(String job) {
    List<?> entries = api.get("reader", "/v1/jobs/" + job + "/log").object().list("entries");
    return JsonObject.of(entries.getLast(), "entry");
  }

  @Test
  void eachOutcomeIsReportedAndTheLogsSayWhoDidItAndWhy() {
    String one = api.submit("nightly", "one");
    String two = api.submit("nightly", "two");
    String none = "00000000-0000-4000-8000-000000000000";
    api.send("boss", "PUT", "/v1/jobs/" + two + "/status", "{'status':'ABORTED'}");

    KeyedTestServer.Reply reply =
        bulk("boss", "abort", List.of(one, two, none, one), ",'comment':'the wrong model'");
    assertThat(reply.object().integer("done")).isEqualTo(1);
    assertThat(reply.object().integer("refused")).isEqualTo(2);
    List<JsonObject> outcomes = outcomes(reply);
    assertThat(outcomes).extracting(it -> it.string("jobId")).containsExactly(one, two, none);
    assertThat(outcomes)
        .extracting(it -> it.string("code", null))
        .containsExactly(null, "ILLEGAL_JOB_STATUS_TRANSITION", "JOB_NOT_FOUND");
    assertThat(outcomes.get(1).string("reason")).contains("ABORTED is final");
    assertThat(status(one)).isEqualTo("ABORTED");
    assertThat(lastEntry(one).string("who")).isEqualTo("boss");
    assertThat(lastEntry(one).string("comment")).isEqualTo("the wrong model");
    assertThat(log.lines())
        .filteredOn(line -> line.contains("asked to"))
        .singleElement()
        .asString()
        .contains("\"boss\" asked to abort 3 jobs; done 1, refused 2");
  }

  @Test
  void jobsArePausedResumedAndRunAgain() {
    String one = api.submit("nightly", "one");
    String two = api.submit("nightly", "two");
    outcomes(bulk("nightly", "pause", List.of(one, two), ""));
    assertThat(List.of(status(one), status(two))).containsExactly("PAUSED", "PAUSED");
    outcomes(bulk("nightly", "resume", List.of(one), ""));
    assertThat(status(one)).isEqualTo("PENDING");
    outcomes(bulk("nightly", "abort", List.of(one), ""));

    List<JsonObject> retried = outcomes(bulk("boss", "retry", List.of(one, two), ",'comment':'c'"));
    String again = retried.getFirst().string("newJobId");
    JsonObject job = api.get("reader", "/v1/jobs/" + again).object();
    assertThat(job.string("retryOf")).isEqualTo(one);
    assertThat(job.string("submittedBy")).isEqualTo("boss");
    assertThat(lastEntry(again).string("line")).isEqualTo("run again by boss: c");
    assertThat(retried.getLast().string("code")).isEqualTo("JOB_NOT_IN_FINITE_STATE");
  }

  @Test
  void onlyEndedJobsAreDeletedAndTheServersLogHasTheirIds() {
    String open = api.submit("nightly", "open");
    String ended = api.submit("nightly", "ended");
    outcomes(bulk("nightly", "abort", List.of(ended), ""));
    List<JsonObject> outcomes =
        outcomes(bulk("nightly", "delete", List.of(open, ended), ",'comment':'old \\n news'"));
    assertThat(outcomes).extracting(it -> it.flag("done", true)).containsExactly(false, true);
    assertThat(outcomes.getFirst().string("code")).isEqualTo("JOB_NOT_IN_FINITE_STATE");
    assertThat(status(open)).isEqualTo("PENDING");
    assertThat(api.get("reader", "/v1/jobs/" + ended).status()).isEqualTo(404);
    assertThat(log.lines())
        .anyMatch(
            line ->
                line.contains(
                        "\"nightly\" asked to delete 2 jobs; done 1, refused 1: \"old \\n news\"")
                    && line.endsWith("deleted " + ended));
  }

  @Test
  void aKeyForReadingChangesNothing() {
    String job = api.submit("nightly", "one");
    for (String action : List.of("pause", "resume", "abort", "retry", "delete")) {
      assertThat(bulk("reader", action, List.of(job), "").status()).as(action).isEqualTo(403);
    }
    assertThat(
            api.send("reader", "PUT", "/v1/jobs/" + job + "/status", "{'status':'PAUSED'}")
                .status())
        .isEqualTo(403);
    assertThat(api.send("reader", "POST", "/v1/pipelines/check", "{'open':true}").status())
        .isEqualTo(403);
    assertThat(status(job)).isEqualTo("PENDING");
    assertThat(log.lines()).noneMatch(line -> line.contains("asked to"));
  }

  @Test
  void aRequestThatBreaksARuleChangesNothing() {
    String job = api.submit("nightly", "one");
    assertThat(bulk("nightly", "explode", List.of(job), "").status()).isEqualTo(400);
    assertThat(bulk("nightly", "abort", List.of(), "").status()).isEqualTo(400);
    assertThat(bulk("nightly", "abort", List.of(job), ",'comment':''").status()).isEqualTo(400);
    assertThat(bulk("nightly", "abort", List.of(job, "x"), "").status()).isEqualTo(400);
    List<String> many =
        IntStream.range(0, 1_001).mapToObj(i -> new UUID(0x4000, i).toString()).toList();
    assertThat(bulk("nightly", "abort", many, "").text()).contains("1000");
    assertThat(status(job)).isEqualTo("PENDING");
  }

  @Test
  void aSessionSaysWhatItsKeyMayDo() {
    JsonObject reader = api.get("reader", "/v1/session").object();
    assertThat(reader.string("name")).isEqualTo("reader");
    assertThat(reader.list("scopes")).isEqualTo(List.of("read"));
    assertThat(reader.flag("keys", false)).isTrue();
    assertThat(api.get("boss", "/v1/session").object().list("scopes"))
        .isEqualTo(List.of("read", "submit", "work", "admin"));
    assertThat(api.get("nobody", "/v1/session").status()).isEqualTo(401);
    assertThat(api.get("nobody", "/v1/state-machines").status()).isEqualTo(200);
  }
}
