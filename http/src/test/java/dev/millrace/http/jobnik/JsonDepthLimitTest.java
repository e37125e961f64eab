package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies at the limit of nesting, and one level deeper. */
class JsonDepthLimitTest {
  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  private static String deep(int levels) {
    return "[".repeat(levels) + "]".repeat(levels);
  }

  private void assertLimit(String path, String before, int levels, String after) {
    ApiReply most = api.post(path, before + deep(100 - levels) + after);
    assertThat(most.status()).as("%s", most).isEqualTo(201);
    ApiReply more = api.post(path, before + deep(101 - levels) + after);
    assertThat(more.brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(more.object().string("message")).contains("expected at most 100 levels");
  }

  @Test
  void bodyHasAtMostAHundredLevels() {
    assertLimit("/v1/jobs", "{'name':'deep','data':{'x':", 2, "}}");
    assertLimit("/v1/jobs", "{'name':'deep','data':{},'userMetadata':{'x':", 2, "}}");
    assertLimit("/v1/pipelines", "{'stages':[{'type':'aa','data':{'x':", 4, "},'tasks':['x']}]}");
    String job = api.post("/v1/jobs", "{'name':'deep','data':{}}").id();
    assertLimit("/v1/jobs/" + job + "/stage", "{'type':'aa','data':{'x':", 2, "}}");
    String stage = api.post("/v1/jobs/" + job + "/stage", "{'type':'aa','data':{}}").id();
    assertLimit("/v1/stages/" + stage + "/tasks", "[{'data':{'x':", 3, "}}]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{{nonsense}}", "{{stages[9].results}}"})
  void templateThatCannotBeResolvedIsRefused(String each) {
    ApiReply got =
        api.post(
            "/v1/pipelines",
            "{'stages':[{'type':'aa','tasks':['x']},{'type':'b','each':'" + each + "'}]}");
    assertThat(got.brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(got.object().string("message")).startsWith("stage 2: " + each);
  }
}
