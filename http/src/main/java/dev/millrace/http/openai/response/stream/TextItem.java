package dev.millrace.http.openai.response.stream;

import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message or thoughts: an item with one part, which is text. */
final class TextItem implements OpenItem {

  /** What the text is. */
  enum Kind {
    MESSAGE("output_text"),
    REASONING("reasoning_text");

    private final String part;

    Kind(String part) {
      this.part = part;
    }
  }

  private final Kind kind;
  private final String id;
  private final int output;
  private final StringBuilder text = new StringBuilder();
  private final List<@Nullable Object> logprobs = new ArrayList<>();

  private TextItem(Kind kind, String id, int output) {
    this.kind = kind;
    this.id = id;
    this.output = output;
  }

  /**
   * Begins an item.
   *
   * @param output its position in the output
   */
  static TextItem open(Kind kind, ResponseIds ids, int output, EventSink sink) {
    String id = kind == Kind.MESSAGE ? ids.message(output) : ids.reasoning(output);
    TextItem item = new TextItem(kind, id, output);
    sink.emit(
        "output_item.added",
        JsonObject.create()
            .put("output_index", (long) output)
            .put("item", item.toMap(ItemStatus.IN_PROGRESS, List.of())));
    sink.emit("content_part.added", item.place().put("part", item.part()));
    return item;
  }

  boolean is(Kind other) {
    return kind == other;
  }

  /**
   * @param of the log probabilities of the tokens of this text; empty if no one asked
   */
  void add(String delta, List<?> of, EventSink sink) {
    text.append(delta);
    logprobs.addAll(of);
    JsonObject fields = place().put("delta", delta);
    sink.emit(kind.part + ".delta", withLogprobs(fields, of));
  }

  /** Replaces the log probabilities, which came with the end only. */
  void setLogprobs(List<?> all) {
    logprobs.clear();
    logprobs.addAll(all);
  }

  @Override
  public void close(ItemStatus status, EventSink sink) {
    JsonObject fields = place().put("text", text.toString());
    sink.emit(kind.part + ".done", withLogprobs(fields, logprobs));
    sink.emit("content_part.done", place().put("part", part()));
    sink.emit(
        "output_item.done",
        JsonObject.create().put("output_index", (long) output).put("item", toMap(status)));
  }

  private JsonObject place() {
    return JsonObject.create()
        .put("item_id", id)
        .put("output_index", (long) output)
        .put("content_index", 0L);
  }

  private JsonObject withLogprobs(JsonObject fields, List<?> of) {
    return kind == Kind.MESSAGE ? fields.put("logprobs", List.copyOf(of)) : fields;
  }

  private Map<String, @Nullable Object> part() {
    JsonObject part = JsonObject.create().put("type", kind.part).put("text", text.toString());
    if (kind == Kind.MESSAGE) {
      part.put("annotations", List.of());
    }
    return withLogprobs(part, logprobs).values();
  }

  @Override
  public Map<String, @Nullable Object> toMap(ItemStatus status) {
    return toMap(status, List.of(part()));
  }

  private Map<String, @Nullable Object> toMap(ItemStatus status, List<?> content) {
    JsonObject item = JsonObject.create().put("id", id);
    if (kind == Kind.MESSAGE) {
      item.put("type", "message").put("role", "assistant");
    } else {
      item.put("type", "reasoning").put("summary", List.of());
    }
    return item.put("status", status.word()).put("content", content).values();
  }
}
