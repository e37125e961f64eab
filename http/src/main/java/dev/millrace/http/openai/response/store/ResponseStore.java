package dev.millrace.http.openai.response.store;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.openai.response.stream.ResponseEvent;
import dev.millrace.http.openai.response.stream.ResponseIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The responses of a job store. A response is only found with the key that made it. Thread-safe.
 */
public final class ResponseStore {
  /** The tag of all jobs that are responses. */
  static final String TAG = "openai-response";

  /** The type of the task of a response. */
  public static final String TYPE = "generate";

  static final int STAGE = 1;
  static final int TASK = 1;

  private static final String ITEMS = "input_items";

  /** How often a deletion looks again whether the response has ended. */
  private static final int MAX_DELETIONS = 100;

  private final JobStore store;
  private final OutputParsers parsers;

  public ResponseStore(JobStore store, OutputParsers parsers) {
    this.store = store;
    this.parsers = parsers;
  }

  /**
   * What to store.
   *
   * @param items the whole input: that of earlier responses, too
   * @param data the parameters of the generate task
   * @param submittedBy the name of the API key that asks for it; null if it came without one
   */
  public record Submission(
      StoredResponse response,
      List<Map<String, @Nullable Object>> items,
      JsonObject data,
      TraceContext trace,
      @Nullable String submittedBy) {
    public Submission(
        StoredResponse response,
        List<Map<String, @Nullable Object>> items,
        JsonObject data,
        TraceContext trace) {
      this(response, items, data, trace, null);
    }
  }

  /**
   * Stores a response, durably; a worker makes it. Unless it is for the queue, the job itself says
   * that it comes before the queue's work: whoever claims it, also after a restart, computes it so.
   */
  public void submit(Submission submission) {
    JsonObject parameters = JsonObject.create();
    parameters.values().putAll(submission.data.values());
    Object messages = parameters.values().remove("messages");
    parameters.put("record_pieces", true);
    boolean flex = submission.response.flex();
    if (!flex) {
      parameters.put("interactive", true);
    }
    TaskSpec task =
        new TaskSpec(
            JsonObject.create().put("messages", messages).values(),
            false,
            null,
            JsonObject.create().put(ITEMS, submission.items),
            null);
    JobSpec job =
        JobSpec.builder()
            .tags(List.of(TAG))
            .priority(flex ? Priority.MEDIUM : Priority.VERY_HIGH)
            .data(submission.response.toJobData())
            .trace(submission.trace)
            .submittedBy(submission.submittedBy)
            .stages(List.of(StageSpec.builder(TYPE).data(parameters).tasks(List.of(task)).build()))
            .build();
    store.submit(job, submission.response.job());
  }

  /** The response with this id; empty if there is none, or if it is another key's. */
  public Optional<StoredResponse> find(String id, String owner) {
    return ResponseIds.ofResponse(id).flatMap(ids -> find(ids, owner));
  }

  /** As {@link #find(String, String)}. */
  public Optional<StoredResponse> find(ResponseIds ids, String owner) {
    return StoredResponse.job(ids)
        .flatMap(store::find)
        .flatMap(view -> StoredResponse.of(view.header()))
        .filter(response -> response.owner().equals(owner));
  }

  /** The response as it is now; empty if it was deleted. */
  public Optional<JsonObject> read(StoredResponse response) {
    ResponseReplay replay = replay(response, _ -> {});
    return store.find(response.job()).flatMap(replay::responseNow);
  }

  /** Makes its events, from the first on. */
  public ResponseReplay replay(StoredResponse response, Consumer<ResponseEvent> reader) {
    return new ResponseReplay(store, parsers, response, reader);
  }

  /** Its whole input, from the oldest item on. */
  public List<Map<String, @Nullable Object>> inputItems(StoredResponse response) {
    JsonObject metadata =
        store
            .task(response.job(), STAGE, TASK)
            .map(TaskView::metadata)
            .orElseGet(JsonObject::create);
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (Object item : metadata.list(ITEMS)) {
      items.add(JsonObject.of(item, "an item").values());
    }
    return items;
  }

  /** Cancels a response that has not ended. */
  public void cancel(StoredResponse response) {
    store.abort(response.job(), byOwner(response));
  }

  private static Cause byOwner(StoredResponse response) {
    return Cause.user(response.owner(), "cancelled");
  }

  /**
   * Deletes a response, and cancels it before if it runs.
   *
   * @return whether it is gone now
   */
  public boolean delete(StoredResponse response) {
    return delete(response, byOwner(response));
  }

  /**
   * As {@link #delete(StoredResponse)}.
   *
   * @param cause why it is cancelled
   */
  boolean delete(StoredResponse response, Cause cause) {
    for (int i = 0; i < MAX_DELETIONS; i++) {
      Outcome outcome = store.delete(response.job());
      if (outcome.isDone() || outcome instanceof Outcome.Missing) {
        return true;
      }
      store.abort(response.job(), cause);
    }
    return false;
  }

  /** Whether it has ended; also if it was deleted. */
  public boolean hasEnded(StoredResponse response) {
    return store.state(response.job()).map(JobState::isFinal).orElse(true);
  }
}
