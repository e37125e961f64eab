package dev.millrace.http.openai.response.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.engine.toolcall.OutputPart.CallArguments;
import dev.millrace.engine.toolcall.OutputPart.CallBegan;
import dev.millrace.engine.toolcall.OutputPart.CallEnded;
import dev.millrace.engine.toolcall.OutputPart.Text;
import dev.millrace.engine.toolcall.OutputPart.Thought;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResponseEventsTest {
  private static final String HEX = "0123456789abcdef0123456789abcdef";
  private static final ResponseEnd DONE =
      new ResponseEnd(ResponseStatus.COMPLETED, 12, null, new ResponseEnd.Usage(5, 3, 4, 2));

  private final List<ResponseEvent> seen = new ArrayList<>();

  private ResponseEvents events(boolean background) {
    ResponseHead head =
        new ResponseHead(
            new ResponseIds(HEX), 10, background, JsonObject.create().put("model", "house"));
    return new ResponseEvents(head, seen::add);
  }

  private List<String> types() {
    return seen.stream().map(event -> event.type().substring("response.".length())).toList();
  }

  private JsonObject data(int event) {
    return seen.get(event).data();
  }

  private void tokens(ResponseEvents events, OutputPart... parts) {
    for (OutputPart part : parts) {
      events.token(List.of(part), List.of());
    }
  }

  @Test
  void aTextHasItsEventsInOrderAndNumbered() {
    ResponseEvents events = events(false);
    events.start();
    tokens(events, new Text("Hello"));
    events.token(List.of(), List.of()); // nothing became certain
    tokens(events, new Text(" world"));
    JsonObject response = events.end(DONE, List.of(new Text("!")), List.of());

    assertThat(types())
        .containsExactly(
            "created",
            "in_progress",
            "output_item.added",
            "content_part.added",
            "output_text.delta",
            "output_text.delta",
            "output_text.delta",
            "output_text.done",
            "content_part.done",
            "output_item.done",
            "completed");
    assertThat(seen).extracting(ResponseEvent::sequence).startsWith(0L, 1L).endsWith(9L, 10L);
    assertThat(data(4).string("delta")).isEqualTo("Hello");
    assertThat(data(4).string("item_id")).isEqualTo("msg_" + HEX + "_0");
    assertThat(data(7).string("text")).isEqualTo("Hello world!");
    assertThat(data(2).object("item").list("content")).isEmpty();
    assertThat(data(0).object("response").string("status")).isEqualTo("in_progress");
    assertThat(response.string("status")).isEqualTo("completed");
    assertThat(response.integer("completed_at")).isEqualTo(12);
    assertThat(response.object("usage").integer("total_tokens")).isEqualTo(9);
    assertThat(Json.write(data(10).get("response"))).isEqualTo(Json.write(response));
  }

  @Test
  void thoughtsAreAnItemOfTheirOwnBeforeTheMessage() {
    ResponseEvents events = events(false);
    tokens(events, new Thought("Hm"), new Thought("."), new Text("Yes"));
    JsonObject response = events.end(DONE, List.of(), List.of());

    assertThat(types())
        .containsSequence(
            "output_item.added",
            "content_part.added",
            "reasoning_text.delta",
            "reasoning_text.delta",
            "reasoning_text.done",
            "content_part.done",
            "output_item.done",
            "output_item.added",
            "content_part.added",
            "output_text.delta");
    JsonObject thoughts = JsonObject.of(response.list("output").getFirst(), "item");
    assertThat(thoughts.string("type")).isEqualTo("reasoning");
    assertThat(thoughts.list("summary")).isEmpty();
    assertThat(Json.write(thoughts.list("content")))
        .isEqualTo("[{\"type\":\"reasoning_text\",\"text\":\"Hm.\"}]");
    assertThat(data(10).integer("output_index")).isEqualTo(1);
  }

  @Test
  void everyCallIsAnItemWithItsArguments() {
    ResponseEvents events = events(false);
    tokens(
        events,
        new CallBegan(0, "weather"),
        new CallArguments(0, "{\"city\":"),
        new CallArguments(0, "\"Lyon\"}"),
        new CallEnded(0),
        new CallBegan(1, "time"),
        new CallArguments(1, "{}"),
        new CallEnded(1));
    JsonObject response = events.end(DONE, List.of(), List.of());

    assertThat(types())
        .containsExactly(
            "created",
            "in_progress",
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
            "completed");
    assertThat(data(2).object("item").string("arguments")).isEmpty();
    JsonObject call = JsonObject.of(response.list("output").getFirst(), "item");
    assertThat(call.string("arguments")).isEqualTo("{\"city\":\"Lyon\"}");
    assertThat(call.string("call_id")).isEqualTo("call_" + HEX + "_0");
    assertThat(call.string("status")).isEqualTo("completed");
    assertThat(response.list("output")).hasSize(2);
  }

  @Test
  void aCutOutputIsIncompleteWithItsLastItem() {
    ResponseEvents events = events(false);
    tokens(events, new Thought("a"), new Text("b"));
    JsonObject response =
        events.end(
            new ResponseEnd(ResponseStatus.INCOMPLETE, 12, null, null), List.of(), List.of());
    assertThat(types()).endsWith("output_item.done", "incomplete");
    assertThat(response.list("output"))
        .extracting(item -> JsonObject.of(item, "item").string("status"))
        .containsExactly("completed", "incomplete");
    assertThat(response.object("incomplete_details").string("reason"))
        .isEqualTo("max_output_tokens");
  }

  @Test
  void aCallThatIsCutIsAnItemThatIsNotComplete() {
    ResponseEvents events = events(false);
    tokens(
        events,
        new CallBegan(0, "time"),
        new CallArguments(0, "{}"),
        new CallEnded(0),
        new CallBegan(1, "weather"),
        new CallArguments(1, "{\"city\":"));
    JsonObject response =
        events.end(
            new ResponseEnd(ResponseStatus.INCOMPLETE, 12, null, null), List.of(), List.of());
    assertThat(types()).endsWith("output_item.done", "incomplete");
    assertThat(response.list("output"))
        .extracting(item -> JsonObject.of(item, "item").string("status"))
        .containsExactly("completed", "incomplete");
    JsonObject cut = JsonObject.of(response.list("output").getLast(), "item");
    assertThat(cut.string("arguments")).isEqualTo("{\"city\":");
  }

  @Test
  void aCallThatBreaksOffIsNotComplete() {
    ResponseEvents events = events(false);
    tokens(events, new CallBegan(0, "weather"), new CallArguments(0, "{"), new Text("no"));
    JsonObject response = events.end(DONE, List.of(), List.of());
    assertThat(response.list("output"))
        .extracting(item -> JsonObject.of(item, "item").string("status"))
        .containsExactly("incomplete", "completed");
  }

  @Test
  void aBackgroundResponseIsQueuedFirst() {
    ResponseEvents events = events(true);
    events.create();
    events.create();
    assertThat(types()).containsExactly("created", "queued");
    assertThat(data(0).object("response").string("status")).isEqualTo("queued");
    events.start();
    assertThat(types()).endsWith("in_progress");
  }

  @Test
  void whatNeverBeganIsCancelledWithoutOutput() {
    ResponseEvents events = events(true);
    JsonObject response =
        events.end(new ResponseEnd(ResponseStatus.CANCELLED, 12, null, null), List.of(), List.of());
    assertThat(types()).containsExactly("created", "queued", "incomplete");
    assertThat(response.string("status")).isEqualTo("cancelled");
    assertThat(response.list("output")).isEmpty();
  }

  @Test
  void aFailureSaysWhy() {
    ResponseEvents events = events(false);
    events.start();
    JsonObject response =
        events.end(
            new ResponseEnd(
                ResponseStatus.FAILED, 12, new ResponseEnd.Error("server_error", "no room"), null),
            List.of(),
            List.of());
    assertThat(types()).containsExactly("created", "in_progress", "failed");
    assertThat(response.object("error").string("message")).isEqualTo("no room");
  }

  @Test
  void anEmptyAnswerIsAnEmptyMessage() {
    JsonObject response = events(false).end(DONE, List.of(), List.of());
    assertThat(types()).contains("output_item.added", "output_text.done", "completed");
    assertThat(response.list("output")).hasSize(1);
  }

  @Test
  void logprobsComeWithTheTextOfTheirTokensAndNotWithThoughts() {
    ResponseEvents events = events(false);
    events.token(List.of(new Thought("t")), List.of(Map.of("token", "t")));
    events.token(List.of(), List.of(Map.of("token", "a")));
    events.token(List.of(new Text("ab")), List.of(Map.of("token", "b")));
    JsonObject response = events.end(DONE, List.of(), List.of());
    ResponseEvent delta =
        seen.stream()
            .filter(it -> it.type().endsWith("output_text.delta"))
            .findFirst()
            .orElseThrow();
    assertThat(Json.write(delta.data().list("logprobs")))
        .isEqualTo("[{\"token\":\"a\"},{\"token\":\"b\"}]");
    JsonObject message = JsonObject.of(response.list("output").get(1), "item");
    assertThat(JsonObject.of(message.list("content").getFirst(), "part").list("logprobs"))
        .hasSize(2);
  }

  @Test
  void idsLeadBackToTheirResponse() {
    ResponseIds ids = new ResponseIds(HEX);
    assertThat(ResponseIds.ofResponse(ids.response())).contains(ids);
    assertThat(ResponseIds.ofItem(ids.message(3))).contains(ids);
    assertThat(ResponseIds.ofItem(ids.inputItem("fco", 0))).contains(ids);
    assertThat(ResponseIds.of(ids.uuid())).isEqualTo(ids);
    assertThat(ResponseIds.ofResponse("resp_1")).isEmpty();
    assertThat(ResponseIds.ofItem("msg_client")).isEmpty();
  }
}
