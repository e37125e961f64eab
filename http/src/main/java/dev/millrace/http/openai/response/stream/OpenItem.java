package dev.millrace.http.openai.response.stream;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An item of the output that is being written. */
sealed interface OpenItem permits TextItem, CallItem {

  /** Emits the events that end it. */
  void close(ItemStatus status, EventSink sink);

  /** The item as it is now. */
  Map<String, @Nullable Object> toMap(ItemStatus status);
}
