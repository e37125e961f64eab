package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The limits of one page. */
@Tag("slow")
class PageBuilderTest {
  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void pageWithFewMatchesIsShortAndHasANextPage() {
    api.store.submit(job("needle", 1));
    api.store.submit(job("hay", PageBuilder.MAX_VISITS + 100));
    api.store.submit(job("needle", 2));
    ApiReply first = api.get("/v1/tasks?status=PENDING&from_date=2026-03-01T08:00:00Z&limit=1000");
    assertThat(first.list()).hasSize(1_000);
    ApiReply none = api.get("/v1/tasks?from_date=2030-01-01T00:00:00Z");
    assertThat(none.list()).isEmpty();
    assertThat(none.header("X-Next-Cursor")).isNotNull();
    assertThat(AllPages.ids(api, "/v1/tasks?from_date=2030-01-01T00:00:00Z")).isEmpty();
    assertThat(AllPages.ids(api, "/v1/tasks?stage_type=needle")).hasSize(3);
    assertThat(AllPages.ids(api, "/v1/tasks")).hasSize(PageBuilder.MAX_VISITS + 103);
  }

  @Test
  void includedTasksCount() {
    for (int i = 0; i < 15; i++) {
      api.store.submit(job("t", 1_500));
    }
    ApiReply page = api.get("/v1/stages?should_return_tasks=true");
    assertThat(page.list()).hasSize(10);
    assertThat(page.list().getFirst().list("tasks")).hasSize(1_000);
    assertThat(AllPages.ids(api, "/v1/stages?should_return_tasks=true")).hasSize(15);
  }

  @Test
  void pageEndsAtItsLimitOfCharacters() {
    String text = "y".repeat(1_000_000);
    String last = null;
    for (int i = 0; i < 20; i++) {
      last = api.job("{'name':'work','data':{'x':'" + text.substring(1_000) + "'}}");
    }
    ApiReply jobs = api.get("/v1/jobs");
    assertThat(jobs.list()).hasSizeBetween(8, 9);
    assertThat(AllPages.ids(api, "/v1/jobs")).hasSize(20).endsWith(last);
    String stage = api.stage(last, "t");
    for (int i = 0; i < 20; i++) {
      api.post("/v1/stages/" + stage + "/tasks", "[{'data':{'x':'" + text + "'}}]");
    }
    for (String list : List.of("/v1/tasks", "/v1/stages/" + stage + "/tasks")) {
      assertThat(api.get(list).list()).as(list).hasSize(8);
      assertThat(AllPages.ids(api, list)).as(list).doesNotHaveDuplicates().hasSize(20);
      assertThat(AllPages.ids(api, list + "?limit=3")).as(list).hasSize(20);
    }
    assertThat(AllPages.ids(api, "/v1/tasks?status=COMPLETED")).isEmpty();
    JsonObject along = api.get("/v1/stages/" + stage + "?should_return_tasks=true").object();
    assertThat(along.list("tasks")).hasSize(8);
    assertThat(along.object("summary").integer("total")).isEqualTo(20);
  }

  @Test
  void cursorOfADeletedJobStillWorks() {
    String first = api.job();
    String second = api.job();
    String cursor = api.get("/v1/jobs?limit=1").header("X-Next-Cursor");
    api.put("/v1/jobs/" + first + "/status", "{'status':'ABORTED'}");
    api.delete("/v1/jobs/" + first);
    assertThat(api.get("/v1/jobs?cursor=" + cursor).list())
        .extracting(job -> job.string("id"))
        .containsExactly(second);
    assertThat(api.get("/v1/stages?cursor=" + cursor).status()).isEqualTo(200);
  }

  private static JobSpec job(String type, int tasks) {
    List<TaskSpec> inputs = IntStream.range(0, tasks).mapToObj(i -> TaskSpec.of("" + i)).toList();
    return JobSpec.builder().name(type).stages(List.of(StageSpec.of(type, inputs))).build();
  }
}
