package dev.millrace.http.live;

import static dev.millrace.http.live.LiveTestServer.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.http.live.EventReader.Event;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The text of a task, over a socket, as it comes. */
@Timeout(60)
class TaskOutputTest {
  private final StubModel model = new StubModel();
  private final LiveTestServer api = new LiveTestServer(model);

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void textComesBeforeTheTaskEnds() throws Exception {
    JobId job = api.submit("poem", "generate", "a");
    try (EventReader events = api.output(job)) {
      model.say("a", "Once ");
      Event first = events.require();
      assertThat(first.name()).isEqualTo("output");
      assertThat(first.data().string("text")).isEqualTo("Once ");
      assertThat(first.data().flag("restarted", true)).isFalse();
      assertThat(first.data().string("from")).isEqualTo("0");
      assertThat(first.id()).isEqualTo(first.data().string("next"));
      assertThat(api.store.state(job)).contains(JobState.IN_PROGRESS);

      model.say("a", "upon ");
      Event second = events.require();
      assertThat(second.data().string("text")).isEqualTo("upon ");
      assertThat(second.data().string("from")).isEqualTo(first.id());

      model.end("a");
      Event end = events.require();
      assertThat(end.name()).isEqualTo("end");
      assertThat(end.data().string("status")).isEqualTo("COMPLETED");
      assertThat(end.data().string("result")).isEqualTo("Once upon ");
      assertThat(end.data().has("error")).isFalse();
      assertThat(events.next()).as("the stream ends").isNull();
    }
  }

  @Test
  void aClientThatConnectsAgainMissesNothing() throws Exception {
    JobId job = api.submit("poem", "generate", "a");
    String id;
    try (EventReader events = api.output(job)) {
      model.say("a", "one ");
      id = events.require().id();
    }
    model.say("a", "two ", "three ");
    try (EventReader events = api.output(job, "Last-Event-ID", id);
        EventReader asked = api.events("/v1/tasks/" + task(job) + "/output?from=" + id);
        EventReader both =
            api.events("/v1/tasks/" + task(job) + "/output?from=0", "Last-Event-ID", id)) {
      for (EventReader reader : List.of(events, asked, both)) {
        assertThat(textUpTo(reader, "three ")).isEqualTo("two three ");
      }
      model.end("a");
      assertThat(events.require().name()).isEqualTo("end");
    }
    try (EventReader late = api.output(job, "Last-Event-ID", id)) {
      assertThat(late.require().name()).as("it has ended").isEqualTo("end");
    }
  }

  /** A position has the number of the claim above 40 bits: 19 digits after a million claims. */
  @Test
  void theLargestPositionsAreAccepted() throws Exception {
    JobId job = api.submit("poem", "generate", "a");
    String path = "/v1/tasks/" + task(job) + "/output";
    String largest = Long.toString(Long.MAX_VALUE);
    try (EventReader header = api.output(job, "Last-Event-ID", largest);
        EventReader query = api.events(path + "?from=" + largest)) {
      model.say("a", "one ");
      assertThat(textUpTo(header, "one ")).isEqualTo("one ");
      assertThat(textUpTo(query, "one ")).isEqualTo("one ");
      model.end("a");
    }
    for (String tooLarge : List.of("9223372036854775808", "99999999999999999999")) {
      assertThat(api.json(path + "?from=" + tooLarge).string("code"))
          .as(tooLarge)
          .isEqualTo("VALIDATION_ERROR");
      assertThat(api.send(path, "Last-Event-ID", tooLarge).statusCode()).isEqualTo(400);
    }
  }

  private static String textUpTo(EventReader reader, String last) {
    StringBuilder text = new StringBuilder();
    while (!text.toString().endsWith(last)) {
      text.append(reader.require().data().string("text"));
    }
    return text.toString();
  }

  @Test
  void aTaskThatWaitsIsFollowedOnceItRuns() throws Exception {
    JobId job = api.submit("later", "elsewhere", "a");
    try (EventReader events = api.output(job)) {
      Claim claim = claim("elsewhere");
      api.store.appendJournal(claim, new OutputChunk(List.of(1), "now"));
      assertThat(events.require().data().string("text")).isEqualTo("now");
      api.store.release(claim, "again");
      Claim again = claim("elsewhere");
      api.store.freeze(again, JsonObject.create().put("seed", 1));
      api.store.appendJournal(again, new OutputChunk(List.of(1), "new"));
      Event restarted = events.require();
      assertThat(restarted.data().string("text")).isEqualTo("new");
      assertThat(restarted.data().flag("restarted", false)).isTrue();
      api.store.abort(job, Cause.SYSTEM);
      Event end = events.require();
      assertThat(end.name()).isEqualTo("end");
      assertThat(end.data().string("status")).isEqualTo("ABORTED");
    }
  }

  private Claim claim(String type) {
    return api.store.claim(new ClaimRequest(Set.of(type), 1, "w", null)).getFirst();
  }

  @Test
  void whatAFailedTaskLeftComesBeforeItsEnd() throws Exception {
    JobId job = api.submit("bad", "generate", "a");
    model.say("a", "half a ", "word");
    model.fail("a");
    await().until(() -> api.store.state(job).orElseThrow() == JobState.FAILED);
    try (EventReader events = api.output(job)) {
      assertThat(events.require().data().string("text")).isEqualTo("half a word");
      Event end = events.require();
      assertThat(end.data().string("status")).isEqualTo("FAILED");
      assertThat(end.data().string("error")).contains("told to fail");
      assertThat(end.data().has("result")).isFalse();
      assertThat(events.next()).isNull();
    }
  }

  @Test
  void theStreamOfADeletedJobEnds() throws Exception {
    JobId job = api.submit("gone", "elsewhere", "a");
    try (EventReader events = api.output(job)) {
      api.store.abort(job, Cause.SYSTEM);
      api.store.delete(job);
      List<String> names = names(events);
      assertThat(names).isSubsetOf("end");
    }
  }

  private static List<String> names(EventReader events) {
    return Stream.generate(events::next)
        .takeWhile(event -> event != null)
        .map(Event::name)
        .collect(Collectors.toList());
  }

  @Test
  void wrongRequestsAreRefused() throws Exception {
    JobId job = api.submit("x", "elsewhere", "a");
    String path = "/v1/tasks/" + task(job) + "/output";
    assertThat(api.json(path + "?from=x").string("code")).isEqualTo("VALIDATION_ERROR");
    assertThat(api.json(path + "?form=1").string("message")).contains("did you mean \"from\"");
    assertThat(api.send(path, "Last-Event-ID", "x").statusCode()).isEqualTo(400);
    assertThat(api.json("/v1/tasks/00000000-0000-4000-8000-000000000000/output").string("code"))
        .isEqualTo("TASK_NOT_FOUND");
  }
}
