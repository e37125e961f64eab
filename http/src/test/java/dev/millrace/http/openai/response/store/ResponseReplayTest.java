package dev.millrace.http.openai.response.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ResponseReplayTest {
  private final StoredResponseFixture fixture = new StoredResponseFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void everyReplayHasTheSameEventsWheneverItBegins() {
    StoredResponse response = fixture.submit("anna", true);
    StringBuilder live = new StringBuilder();
    ResponseReplay stream =
        fixture.responses.replay(
            response, event -> live.append(Json.write(event.data())).append('\n'));
    List<String> moments = new ArrayList<>();
    assertThat(stream.advance()).isEmpty();
    moments.add(live.toString());
    assertThat(live).contains("response.queued").doesNotContain("response.in_progress");

    Claim claim = fixture.claim(response);
    fixture.journal(claim, "One", " ", "day");
    assertThat(stream.advance()).isEmpty();
    moments.add(live.toString());
    assertThat(fixture.replayed(response)).isEqualTo(live.toString());
    fixture.clock.advance(Duration.ofSeconds(30));
    fixture.journal(claim, "", ", a");
    assertThat(stream.advance()).isEmpty();
    moments.add(live.toString());
    fixture.journal(claim, " mill");
    fixture.complete(claim, "stop", "One", " ", "day", "", ", a", " mill", "!");
    Optional<JsonObject> end = stream.advance();

    assertThat(end).isPresent();
    assertThat(fixture.replayed(response)).isEqualTo(live.toString());
    assertThat(moments).allSatisfy(before -> assertThat(live.toString()).startsWith(before));
    assertThat(fixture.responses.read(response)).contains(end.get());
    assertThat(end.get().object("usage").integer("total_tokens")).isEqualTo(12);
    assertThat(live.toString().split("output_text.delta"))
        .hasSize(7); // one for each token with text
    assertThat(Json.write(end.get().list("output"))).contains("One day, a mill!");
    assertThat(end.get().integer("completed_at"))
        .isEqualTo(fixture.clock.instant().getEpochSecond());
  }

  @Test
  void aCancelledResponseKeepsWhatItHad() {
    StoredResponse response = fixture.submit("anna", true);
    Claim claim = fixture.claim(response);
    fixture.journal(claim, "One", " day");
    String before = fixture.replayed(response);
    fixture.responses.cancel(response);
    fixture.responses.cancel(response);
    String after = fixture.replayed(response);
    assertThat(after).startsWith(before).contains("\"status\":\"cancelled\"", "One day");
    assertThat(after.lines().toList().getLast()).contains("response.incomplete");
    assertThat(fixture.responses.hasEnded(response)).isTrue();
  }

  @Test
  void aCancelledResponseHasTheUsageThatTheJournalKnows() {
    StoredResponse response = fixture.submit("anna", true);
    Claim claim = fixture.claim(response);
    fixture.store.freeze(
        claim,
        Json.object(
            "{'prompt_tokens':9,'thought_tags':'<think> </think>','thoughts_opened':false}"
                .replace('\'', '"')));
    fixture.journal(claim, "<think>", "hm", "</think>", "One", " day");
    fixture.responses.cancel(response);
    JsonObject usage = fixture.responses.read(response).orElseThrow().object("usage");
    assertThat(usage.integer("input_tokens")).isEqualTo(9);
    assertThat(usage.integer("output_tokens")).isEqualTo(5);
    assertThat(usage.integer("total_tokens")).isEqualTo(14);
    assertThat(usage.object("output_tokens_details").integer("reasoning_tokens")).isEqualTo(3);

    StoredResponse waiting = fixture.submit("anna", true);
    fixture.responses.cancel(waiting);
    assertThat(fixture.responses.read(waiting).orElseThrow().get("usage")).isNull();
  }

  @Test
  void aFailedResponseSaysWhy() {
    StoredResponse response = fixture.submit("anna", false);
    fixture.store.fail(fixture.claim(response), Failure.permanent("the model is gone"));
    JsonObject now = fixture.responses.read(response).orElseThrow();
    assertThat(now.string("status")).isEqualTo("failed");
    assertThat(now.object("error").string("message")).contains("the model is gone");
  }

  @Test
  void aCutResponseIsIncomplete() {
    StoredResponse response = fixture.submit("anna", false);
    fixture.complete(fixture.claim(response), "length", "One");
    JsonObject now = fixture.responses.read(response).orElseThrow();
    assertThat(now.string("status")).isEqualTo("incomplete");
  }

  @Test
  void aRestartWithTheSameTokensContinuesAndOneWithOthersEndsTheStream() {
    StoredResponse response = fixture.submit("anna", false);
    List<String> seen = new ArrayList<>();
    ResponseReplay stream = fixture.responses.replay(response, event -> seen.add(event.type()));
    Claim claim = fixture.claim(response);
    fixture.journal(claim, "One", " day");
    stream.advance();
    int before = seen.size();
    fixture.store.freeze(claim, JsonObject.create().put("seed", 8L)); // drops the journal
    fixture.journal(claim, "One");
    stream.advance();
    assertThat(seen).hasSize(before);
    fixture.journal(claim, " day", " more");
    stream.advance();
    assertThat(seen).hasSize(before + 1);
    fixture.store.freeze(claim, JsonObject.create().put("seed", 9L));
    fixture.journal(claim, "Two");
    assertThatThrownBy(stream::advance).isInstanceOf(ResponseReplay.OutputChanged.class);
  }

  @Test
  void aDeletedResponseEndsItsStream() {
    StoredResponse response = fixture.submit("anna", false);
    ResponseReplay stream = fixture.responses.replay(response, _ -> {});
    stream.advance();
    fixture.claim(response);
    assertThat(fixture.responses.delete(response)).isTrue();
    assertThatThrownBy(stream::advance).isInstanceOf(ResponseReplay.ResponseDeleted.class);
    assertThat(fixture.responses.read(response)).isEmpty();
  }

  @Test
  void onlyItsOwnKeyFindsAResponse() {
    StoredResponse response = fixture.submit("anna", false);
    String id = response.head().ids().response();
    assertThat(fixture.responses.find(id, "anna")).contains(response);
    assertThat(fixture.responses.find(id, "bert")).isEmpty();
    assertThat(fixture.responses.find("resp_unknown", "anna")).isEmpty();
    assertThat(fixture.responses.inputItems(response)).hasSize(1);
  }
}
