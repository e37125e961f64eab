package dev.millrace.http.openai.response.stream;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.OutputPart;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the events of a response, numbered from 0. The numbers depend on the tokens alone, so that
 * a stream that is made again has the same bytes. Not thread-safe.
 */
public final class ResponseEvents {
  private final ResponseHead head;
  private final Consumer<ResponseEvent> reader;
  private final OutputItems items;
  private long next;
  private boolean created;
  private boolean started;

  public ResponseEvents(ResponseHead head, Consumer<ResponseEvent> reader) {
    this.head = head;
    this.reader = reader;
    this.items = new OutputItems(head.ids(), this::emit);
  }

  private void emit(String type, JsonObject fields) {
    String name = "response." + type;
    JsonObject data = JsonObject.create().put("type", name).put("sequence_number", next);
    data.values().putAll(fields.values());
    reader.accept(new ResponseEvent(name, next++, data));
  }

  private void emit(String type, ResponseStatus status) {
    emit(type, JsonObject.create().put("response", head.response(status).values()));
  }

  /** The response exists; in the background, it is queued. */
  public void create() {
    if (created) {
      return;
    }
    created = true;
    emit("created", head.background() ? ResponseStatus.QUEUED : ResponseStatus.IN_PROGRESS);
    if (head.background()) {
      emit("queued", ResponseStatus.QUEUED);
    }
  }

  /** A worker has it. */
  public void start() {
    create();
    if (!started) {
      started = true;
      emit("in_progress", ResponseStatus.IN_PROGRESS);
    }
  }

  /**
   * A token.
   *
   * @param parts what became certain with it; may be empty
   * @param logprobs its log probabilities in OpenAI's form; empty if no one asked
   */
  public void token(List<OutputPart> parts, List<?> logprobs) {
    start();
    items.add(parts, logprobs);
  }

  /**
   * The end.
   *
   * @param rest what became certain with it
   * @param logprobs of the message, if its tokens came without; else empty
   * @return the whole response
   */
  public JsonObject end(ResponseEnd end, List<OutputPart> rest, List<?> logprobs) {
    boolean ran =
        end.status() == ResponseStatus.COMPLETED || end.status() == ResponseStatus.INCOMPLETE;
    if (ran) {
      start();
    }
    create();
    items.add(rest, List.of());
    items.end(end.status() == ResponseStatus.COMPLETED, ran, logprobs);
    JsonObject response = head.response(end.status(), end, items.closed());
    emit(lastType(end.status()), JsonObject.create().put("response", response.values()));
    return response;
  }

  /** OpenAI has no event for a cancelled response: it is one that is not complete. */
  private static String lastType(ResponseStatus status) {
    return status == ResponseStatus.CANCELLED ? ResponseStatus.INCOMPLETE.word() : status.word();
  }

  /** The items that are complete. */
  public List<Map<String, @Nullable Object>> items() {
    return items.closed();
  }
}
