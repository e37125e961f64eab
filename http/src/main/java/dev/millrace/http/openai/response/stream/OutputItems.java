package dev.millrace.http.openai.response.stream;

import dev.millrace.engine.toolcall.OutputPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes items of the parts of an output, with their events. One item is open at a time. */
final class OutputItems {
  private final ResponseIds ids;
  private final EventSink sink;
  private final List<Map<String, @Nullable Object>> closed = new ArrayList<>();
  private final List<Object> pendingLogprobs = new ArrayList<>(); // of tokens without text so far
  private @Nullable OpenItem open;

  OutputItems(ResponseIds ids, EventSink sink) {
    this.ids = ids;
    this.sink = sink;
  }

  /** The items that are complete. */
  List<Map<String, @Nullable Object>> closed() {
    return List.copyOf(closed);
  }

  /** Adds what one token, or the end, gives. */
  void add(List<OutputPart> parts, List<?> logprobs) {
    pendingLogprobs.addAll(logprobs);
    parts.forEach(this::add);
  }

  private void add(OutputPart part) {
    switch (part) {
      case OutputPart.Thought(String text) -> text(TextItem.Kind.REASONING, text, List.of());
      case OutputPart.Text(String text) ->
          text(TextItem.Kind.MESSAGE, text, List.copyOf(pendingLogprobs));
      case OutputPart.CallBegan(int _, String name) -> {
        closeBeforeNext();
        open = CallItem.open(ids, closed.size(), name, sink);
      }
      case OutputPart.CallArguments(int _, String json) -> {
        if (open instanceof CallItem call && !json.isEmpty()) {
          call.add(json, sink);
        }
      }
      case OutputPart.CallEnded _ -> close(ItemStatus.COMPLETED);
    }
    pendingLogprobs.clear();
  }

  private void text(TextItem.Kind kind, String text, List<?> logprobs) {
    if (text.isEmpty()) {
      return;
    }
    if (!(open instanceof TextItem item && item.is(kind))) {
      closeBeforeNext();
      open = TextItem.open(kind, ids, closed.size(), sink);
    }
    ((TextItem) open).add(text, logprobs, sink);
  }

  /**
   * Ends the output.
   *
   * @param whole whether it ended by itself, so that its last item is complete
   * @param answered whether it has an answer, be it empty
   * @param logprobs of the message, if they come only now
   */
  void end(boolean whole, boolean answered, List<?> logprobs) {
    if (open == null && closed.isEmpty() && answered) {
      open = TextItem.open(TextItem.Kind.MESSAGE, ids, 0, sink);
    }
    if (open instanceof TextItem item && !logprobs.isEmpty()) {
      item.setLogprobs(logprobs);
    }
    close(whole ? ItemStatus.COMPLETED : ItemStatus.INCOMPLETE);
  }

  /** A call is complete only with its end. */
  private void closeBeforeNext() {
    close(open instanceof CallItem ? ItemStatus.INCOMPLETE : ItemStatus.COMPLETED);
  }

  private void close(ItemStatus status) {
    if (open != null) {
      open.close(status, sink);
      closed.add(open.toMap(status));
      open = null;
    }
  }
}
