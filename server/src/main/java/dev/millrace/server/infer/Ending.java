package dev.millrace.server.infer;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.chat.Thoughts;
import dev.millrace.engine.wheel.Finish;
import dev.millrace.engine.wheel.Result;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.TaskOutcome.Done;
import dev.millrace.server.TaskOutcome.Failed;
import dev.millrace.server.TaskOutcome.Released;

/**
 * What the end of a generation means for its task.
 *
 * @param closing whether all models are being closed
 */
record Ending(Settled settled, TaskContext task, Brake brake, Lease<?> lease, boolean closing) {

  TaskOutcome of(Result result) {
    return switch (result.finish()) {
      case STOP, LENGTH -> finished(result);
      case CANCELLED -> {
        String reason = task.overdue() ? "deadline" : "cancelled";
        String message = "stopped (%s) after %d tokens".formatted(reason, result.tokens().length);
        yield partial(message, result, reason, true);
      }
      case RELEASED -> released(result);
      case REVOKED -> TaskOutcome.failed("its tokens cannot be trusted: " + result.reason());
      case FAILED -> partial(result.reason(), result, "failed", !result.refused());
    };
  }

  private TaskOutcome finished(Result result) {
    Rule rule = settled.terms().parameters().rule();
    Thoughts.Parts parts = settled.answer(result);
    String reason = result.finish() == Finish.STOP ? "stop" : "length";
    JsonObject receipt = receipt(result, reason, parts.thoughts());
    if (rule != null && rule.json()) {
      try {
        Json.parse(parts.answer());
      } catch (JsonException e) {
        return new Failed(
            Failure.permanent("Structured job produced invalid JSON: " + e.getMessage())
                .withPartial(result.text(), receipt));
      }
    }
    return new Done(TaskResult.of(parts.answer()).withReceipt(receipt));
  }

  private TaskOutcome released(Result result) {
    if (brake.paused()) {
      return new Released("paused");
    }
    if (closing) {
      return new Released("the models are closed");
    }
    lease.discard(); // its wheel has ended by itself
    return partial("the engine stopped: " + result.reason(), result, "failed", true);
  }

  private TaskOutcome partial(String message, Result result, String reason, boolean retryable) {
    return new Failed(new Failure(message, retryable, result.text(), receipt(result, reason, "")));
  }

  private JsonObject receipt(Result result, String reason, String thoughts) {
    return Receipts.of(settled.terms(), result, reason, settled.prior().length, thoughts);
  }
}
