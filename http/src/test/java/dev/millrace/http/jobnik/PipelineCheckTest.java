package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.JobReader.Query;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A check answers what a submission would, and stores nothing. */
class PipelineCheckTest {
  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  private static String stages(String stages) {
    return "{'stages':[" + stages + "]}";
  }

  @Test
  void whatWouldBeAcceptedIsCountedAndNotStored() {
    String two = stages("{'type':'t','tasks':['a','b','c']},{'type':'t','each':'{{result}}!'}");
    assertThat(api.post("/v1/pipelines/check", two).object().values())
        .containsEntry("valid", true)
        .containsEntry("stages", 2L)
        .containsEntry("tasks", 6L);
    assertThat(api.store.list(Query.all())).isEmpty();
  }

  @Test
  void whatWouldBeRefusedHasTheSameError() {
    for (String wrong :
        List.of(
            stages(""),
            stages("{'type':'t'}"),
            stages("{'type':'t','tasks':['a'],'colour':'red'}"),
            stages("{'type':'t','tasks':['a']},{'type':'t','tasks':[{'template':'{{no}}'}]}"),
            "{'submittedBy':'me','stages':[{'type':'t','tasks':['a']}]}",
            "{'data':{'openai_response':{}},'stages':[{'type':'t','tasks':['a']}]}")) {
      JobnikTestServer.ApiReply submitted = api.post("/v1/pipelines", wrong);
      JobnikTestServer.ApiReply checked = api.post("/v1/pipelines/check", wrong);
      if (submitted.status() == 201) {
        assertThat(checked.status()).as(wrong).isEqualTo(200);
      } else {
        assertThat(checked.brief()).as(wrong).isEqualTo(submitted.brief());
        assertThat(checked.message()).as(wrong).isEqualTo(submitted.message());
      }
    }
  }

  @Test
  void schemasOfTasksThatTheServerRunsAreCompiled() {
    String wrong =
        stages("{'type':'generate','data':{'json_schema':{'type':'nonsense'}},'tasks':['a']}");
    assertThat(api.post("/v1/pipelines/check", wrong).status()).isEqualTo(200);
    try (JobnikTestServer models = JobnikTestServer.withWorkersFor("generate")) {
      assertThat(models.post("/v1/pipelines/check", wrong).message())
          .startsWith("stage 1, task 1: ")
          .contains("nonsense");
    }
  }
}
