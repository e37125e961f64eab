package dev.millrace.http.openai.response.store;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.openai.response.stream.ResponseEnd;
import dev.millrace.http.openai.response.stream.ResponseStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads from a job how its response ended. */
final class StoredEnd {
  private StoredEnd() {}

  /**
   * @param view of a job that has ended
   * @param result of its task; null if it has none
   * @param used the tokens of one that was cancelled; null if it had not begun
   */
  static ResponseEnd of(
      JobView view, @Nullable TaskResult result, ResponseEnd.@Nullable Usage used) {
    Instant completed = view.completedAt();
    long at = completed == null ? view.updatedAt().getEpochSecond() : completed.getEpochSecond();
    if (result != null) {
      JsonObject receipt = ResponseReplay.receipt(result);
      boolean cut = "length".equals(receipt.get("finish_reason"));
      ResponseStatus status = cut ? ResponseStatus.INCOMPLETE : ResponseStatus.COMPLETED;
      return new ResponseEnd(status, at, null, usage(receipt));
    }
    return switch (view.state()) {
      case ABORTED -> new ResponseEnd(ResponseStatus.CANCELLED, at, null, used);
      default -> {
        String reason = view.error() == null ? "the response failed" : view.error();
        yield new ResponseEnd(
            ResponseStatus.FAILED, at, new ResponseEnd.Error("server_error", reason), null);
      }
    };
  }

  private static ResponseEnd.Usage usage(JsonObject receipt) {
    return new ResponseEnd.Usage(
        receipt.integer("prompt_tokens", 0),
        receipt.integer("cached_tokens", 0),
        receipt.integer("completion_tokens", 0),
        receipt.integer("reasoning_tokens", 0));
  }
}
