package dev.millrace.http.openai.response.stream;

import dev.millrace.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A call of a function. */
final class CallItem implements OpenItem {
  private final String id;
  private final String call;
  private final int output;
  private final String name;
  private final StringBuilder arguments = new StringBuilder();

  private CallItem(ResponseIds ids, int output, String name) {
    this.id = ids.functionCall(output);
    this.call = ids.call(output);
    this.output = output;
    this.name = name;
  }

  /** Begins a call at a position of the output. */
  static CallItem open(ResponseIds ids, int output, String name, EventSink sink) {
    CallItem item = new CallItem(ids, output, name);
    sink.emit("output_item.added", item.event(ItemStatus.IN_PROGRESS));
    return item;
  }

  void add(String json, EventSink sink) {
    arguments.append(json);
    sink.emit("function_call_arguments.delta", place().put("delta", json));
  }

  @Override
  public void close(ItemStatus status, EventSink sink) {
    sink.emit(
        "function_call_arguments.done",
        place().put("name", name).put("arguments", arguments.toString()));
    sink.emit("output_item.done", event(status));
  }

  private JsonObject place() {
    return JsonObject.create().put("item_id", id).put("output_index", (long) output);
  }

  private JsonObject event(ItemStatus status) {
    return JsonObject.create().put("output_index", (long) output).put("item", toMap(status));
  }

  @Override
  public Map<String, @Nullable Object> toMap(ItemStatus status) {
    return JsonObject.create()
        .put("id", id)
        .put("type", "function_call")
        .put("status", status.word())
        .put("call_id", call)
        .put("name", name)
        .put("arguments", arguments.toString())
        .values();
  }
}
