package dev.millrace.http.openai.response.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TraceContext;
import dev.millrace.engine.toolcall.AssistantOutputParser;
import dev.millrace.engine.toolcall.OutputFormat;
import dev.millrace.http.openai.response.stream.ResponseHead;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Responses in a store in memory, and a worker that a test plays. */
final class StoredResponseFixture implements AutoCloseable {
  final ManualClock clock = new ManualClock();
  private final ContractSettings settings = ContractSettings.of(clock);
  final JobStore store = new MemoryStoreFixture().open(settings);
  final ResponseStore responses =
      new ResponseStore(
          store,
          (_, _) -> new AssistantOutputParser(new OutputFormat(null, false, null, List.of())));

  StoredResponse submit(String owner, boolean background) {
    return submit(owner, background, false);
  }

  StoredResponse submit(String owner, boolean background, boolean flex) {
    JobId job = settings.ids().get();
    ResponseHead head =
        new ResponseHead(
            StoredResponse.ids(job), 10, background, JsonObject.create().put("model", "house"));
    StoredResponse response = new StoredResponse(job, owner, flex, head);
    responses.submit(
        new ResponseStore.Submission(
            response,
            List.of(Map.of("id", "msg_1", "type", "message", "role", "user")),
            Json.object(
                "{\"model\":\"house\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"),
            TraceContext.start()));
    return response;
  }

  Claim claim(StoredResponse response) {
    return claim(response.job());
  }

  Claim claim(JobId job) {
    ClaimRequest request = new ClaimRequest(Set.of("generate"), 1, "worker", null);
    Claim claim = store.claim(request.ofJob(job)).getFirst();
    store.freeze(claim, JsonObject.create().put("seed", 7L));
    return claim;
  }

  void journal(Claim claim, String... pieces) {
    List<Integer> tokens = new ArrayList<>();
    for (String piece : pieces) {
      tokens.add(piece.length());
    }
    store.appendJournal(claim, new OutputChunk(tokens, List.of(pieces)));
  }

  void complete(Claim claim, String finish, String... pieces) {
    JsonObject receipt =
        JsonObject.create()
            .put("finish_reason", finish)
            .put("prompt_tokens", 5L)
            .put("cached_tokens", 2L)
            .put("completion_tokens", (long) pieces.length)
            .put("pieces", List.of(pieces));
    store.complete(claim, TaskResult.of(String.join("", pieces)).withReceipt(receipt));
  }

  /** All events that the store has now, as they are sent. */
  String replayed(StoredResponse response) {
    StringBuilder all = new StringBuilder();
    responses
        .replay(response, event -> all.append(Json.write(event.data())).append('\n'))
        .advance();
    return all.toString();
  }

  @Override
  public void close() {
    store.close();
  }
}
