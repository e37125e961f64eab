package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Searches over sockets. {@code JobSearchTest} compares every filter with a plain one. */
class SearchRoutesTest {
  private static final String PATH = "/v1/jobs/search";

  private static List<String> ids(JsonObject answer) {
    return answer.list("jobs").stream().map(it -> JsonObject.of(it, "job").string("id")).toList();
  }

  @Test
  void queryIsReadAndTheAnswerIsAsDocumented() {
    try (JobnikTestServer api = new JobnikTestServer()) {
      String red = api.job("{'name':'Mill race','data':{},'tags':['red']}");
      String blue = api.job("{'name':'sluice','data':{},'tags':['blue']}");
      api.put("/v1/jobs/" + red + "/status", "{'status':'PAUSED'}");
      await().until(() -> api.get(PATH).object().flag("complete", false));
      await().until(() -> ids(api.get(PATH + "?status=PAUSED").object()).equals(List.of(red)));
      assertThat(ids(api.get(PATH).object())).containsExactly(blue, red);
      assertThat(ids(api.get(PATH + "?sort=oldest").object())).containsExactly(red, blue);
      assertThat(ids(api.get(PATH + "?text=mill%20R&tag=red").object())).containsExactly(red);
      assertThat(ids(api.get(PATH + "?status=FAILED,ABORTED").object())).isEmpty();
      JsonObject none = api.get(PATH + "?limit=0").object();
      assertThat(none.integer("total")).isEqualTo(2);
      assertThat(none.list("jobs")).isEmpty();
      assertThat(api.get(PATH + "?ids_only=true&limit=100000").object().list("ids"))
          .isEqualTo(List.of(blue, red));
      assertThat(ids(api.get(PATH + "?offset=1").object())).containsExactly(red);
    }
  }

  @Test
  void whatBreaksARuleIsRefusedByName() {
    try (JobnikTestServer api = new JobnikTestServer()) {
      assertThat(api.get(PATH + "?limit=1001").message()).contains("limit", "1000");
      assertThat(api.get(PATH + "?limit=100001&ids_only=true").status()).isEqualTo(400);
      assertThat(api.get(PATH + "?status=PENDING,DONE").message()).contains("\"DONE\"");
      assertThat(api.get(PATH + "?text=" + "x".repeat(201)).status()).isEqualTo(400);
      assertThat(api.get(PATH + "?text=%20").status()).isEqualTo(400);
      assertThat(api.get(PATH + "?from_date=yesterday").message()).contains("from_date");
      assertThat(api.get(PATH + "?sort=best").status()).isEqualTo(400);
      assertThat(api.get(PATH + "?colour=red").message()).contains("colour");
    }
  }

  /** A command submits and changes jobs beside the server that owns the workspace. */
  @Test
  void whatOtherProcessesOfAWorkspaceDoIsFound(@TempDir Path dir) throws IOException {
    Workspace workspace = Workspace.open(dir);
    JobId before = workspace.submitter().submit(JobSpec.prompt("generate", "from before"));
    try (JobnikTestServer api = new JobnikTestServer(workspace.own().orElseThrow())) {
      await().until(() -> api.get(PATH + "?text=before").object().integer("total") == 1);
      JobId after =
          Workspace.open(dir).submitter().submit(JobSpec.prompt("generate", "a later one"));
      await().until(() -> api.get(PATH + "?text=later").object().integer("total") == 1);
      assertThat(api.get(PATH + "?text=" + after).object().integer("total")).isEqualTo(1);
      assertThat(api.get(PATH).object().list("jobs")).hasSize(2);
      api.put("/v1/jobs/" + before + "/status", "{'status':'ABORTED'}");
      await().until(() -> api.get(PATH + "?status=ABORTED").object().integer("total") == 1);
      api.delete("/v1/jobs/" + before);
      await().until(() -> api.get(PATH).object().integer("total") == 1);
    }
  }
}
