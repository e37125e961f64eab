package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.Lever;
import dev.millrace.core.store.LeverJson;
import dev.millrace.http.jobnik.fixture.InterceptedStore;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which lever each request that changes a job becomes. */
class LeverRoutesTest {
  private final List<Lever> applied = new CopyOnWriteArrayList<>();
  private final JobnikTestServer api =
      new JobnikTestServer(
          InterceptedStore.memoryStore(
              (method, arguments) -> {
                if (method.equals("apply") && arguments != null) {
                  applied.add((Lever) arguments[1]);
                }
              }));
  private final String job = api.job();
  private final String stage = api.stage(job, "resize");

  @AfterEach
  void close() {
    api.close();
  }

  /** The name and the parameters of the last lever. */
  private String last() {
    Lever lever = applied.getLast();
    return LeverJson.name(lever) + " " + LeverJson.parameters(lever);
  }

  private String status(String status) {
    api.put("/v1/jobs/" + job + "/status", "{'status':'" + status + "'}");
    return last();
  }

  @Test
  void eachRequestBecomesItsLever() {
    assertThat(last()).startsWith("addStage {\"spec\":{\"type\":\"resize\"");
    List<String> tasks = api.tasks(stage, 2);
    assertThat(last()).startsWith("addTasks {\"stage\":1,\"tasks\":[{").contains("{\"n\":2}");
    api.patch("/v1/jobs/" + job + "/user-metadata", "{'a':1}");
    assertThat(last()).isEqualTo("describe {\"stage\":0,\"task\":0,\"metadata\":{\"a\":1}}");
    api.patch("/v1/stages/" + stage + "/user-metadata", "{'b':2}");
    assertThat(last()).isEqualTo("describe {\"stage\":1,\"task\":0,\"metadata\":{\"b\":2}}");
    api.patch("/v1/tasks/" + tasks.getLast() + "/user-metadata", "{'c':3}");
    assertThat(last()).isEqualTo("describe {\"stage\":1,\"task\":2,\"metadata\":{\"c\":3}}");
    api.patch("/v1/jobs/" + job + "/priority", "{'priority':'HIGH'}");
    assertThat(last()).isEqualTo("prioritize {\"priority\":\"HIGH\"}");
    api.put("/v1/stages/" + stage + "/status", "{'status':'PENDING'}");
    assertThat(last()).isEqualTo("approve {\"stage\":1}");
    assertThat(status("PAUSED")).isEqualTo("pause {}");
    assertThat(status("PENDING")).isEqualTo("resume {}");
    assertThat(status("ABORTED")).isEqualTo("abort {}");
    api.delete("/v1/jobs/" + job);
    assertThat(last()).isEqualTo("delete {}");

    Set<String> missing = new HashSet<>(LeverJson.names());
    applied.forEach(lever -> missing.remove(LeverJson.name(lever)));
    assertThat(missing).as("levers without a path").containsExactly("hold");
  }

  @Test
  void aStateThatOnlyTheSystemSetsIsNoLever() {
    int before = applied.size();
    assertThat(api.put("/v1/jobs/" + job + "/status", "{'status':'COMPLETED'}").brief())
        .isEqualTo("400 VALIDATION_ERROR");
    assertThat(applied).hasSize(before);
  }

  @Test
  void aStageThatIsApprovedAlreadyStaysAsItIs() {
    assertThat(api.put("/v1/stages/" + stage + "/status", "{'status':'PENDING'}").code())
        .isEqualTo("STAGE_MODIFIED_SUCCESSFULLY");
    assertThat(api.status("/v1/stages/" + stage)).isEqualTo("PENDING");
  }
}
