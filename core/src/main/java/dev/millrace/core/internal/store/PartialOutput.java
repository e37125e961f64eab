package dev.millrace.core.internal.store;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import org.jspecify.annotations.Nullable;

/** The output of an attempt without a result. */
public record PartialOutput(@Nullable String output, @Nullable JsonObject receipt) {
  public static final PartialOutput NONE = new PartialOutput(null, null);

  public static PartialOutput of(TaskResult result) {
    return new PartialOutput(result.text(), result.receipt());
  }

  public static PartialOutput of(Failure failure) {
    return new PartialOutput(failure.partial(), failure.receipt());
  }

  public boolean isEmpty() {
    return output == null && receipt == null;
  }
}
