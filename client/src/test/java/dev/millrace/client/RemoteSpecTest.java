package dev.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.StoreException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job that does not exist is not the same as a path that does not exist. */
class RemoteSpecTest {
  private static final JobId ID = new JobId("1769850000000000_4242_7");

  private final ScriptedServer api = new ScriptedServer();
  private final Remote remote = new Remote(api.client(new FakeTimeSource()));

  @AfterEach
  void close() {
    remote.close();
    api.close();
  }

  private void answer(int status, String code) {
    api.on("GET .*", ScriptedServer.json(status, JsonObject.create().put("code", code)));
  }

  @Test
  void onlyTheCodeOfAJobMeansThatThereIsNone() {
    answer(404, "JOB_NOT_FOUND");
    assertThat(remote.spec(ID)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"404, NOT_FOUND", "405, METHOD_NOT_ALLOWED", "404, HTTP_404"})
  void aServerWithoutThePathIsAnError(int status, String code) {
    answer(status, code);
    assertThatThrownBy(() -> remote.spec(ID))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("does not show the documents of jobs")
        .hasMessageContaining("older version")
        .hasMessageContaining(status + " " + code);
  }

  @Test
  void otherErrorsStayAsTheyAre() {
    answer(403, "FORBIDDEN");
    assertThatThrownBy(() -> remote.spec(ID))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("403 FORBIDDEN");
  }
}
