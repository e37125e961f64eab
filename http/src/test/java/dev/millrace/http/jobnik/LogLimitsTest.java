package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that may submit cannot fill the log of a job. */
class LogLimitsTest {
  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void metadataIsReplacedUntilItsSumIsReachedAndTheJobStillEnds() {
    String job = api.post("/v1/jobs", "{'name':'full','data':{}}").id();
    String path = "/v1/jobs/" + job;
    String large = "{'x':'" + "y".repeat(1_000_000 - 8) + "'}";
    for (int i = 0; i < 64; i++) {
      assertThat(api.patch(path + "/user-metadata", large).status()).isEqualTo(200);
    }
    ApiReply refused = api.patch(path + "/user-metadata", "{}");
    assertThat(refused.brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(refused.object().string("message"))
        .contains("a job takes at most 64000000 bytes of new metadata and added stages");
    assertThat(api.post(path + "/stage", "{'type':'aa','data':{}}").brief())
        .isEqualTo("400 VALIDATION_ERROR");
    assertThat(api.put(path + "/status", "{'status':'ABORTED'}").status()).isEqualTo(200);
  }
}
