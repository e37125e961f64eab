package dev.millrace.server.infer.run;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.TaskOutcome.Done;
import dev.millrace.server.TaskOutcome.Failed;
import dev.millrace.server.TaskOutcome.Released;
import dev.millrace.server.infer.parameters.OutputConstraint;
import dev.millrace.server.infer.shelf.ModelLease;

/**
 * Maps the end of a generation to the outcome of its task.
 *
 * @param closing whether all models are being closed
 */
record OutcomeMapper(
    ResolvedTask resolved, TaskContext task, ModelLease<?> lease, boolean closing) {

  TaskOutcome outcomeOf(GenerationResult result) {
    return switch (result.finish()) {
      case STOP, LENGTH -> finished(result);
      case CANCELLED -> {
        String reason = task.timedOut() ? "deadline" : "cancelled";
        String message = "stopped (%s) after %d tokens".formatted(reason, result.tokens().length);
        yield partial(message, result, reason, true);
      }
      case RELEASED -> released(result);
      case REVOKED -> TaskOutcome.failed("the tokens cannot be trusted: " + result.reason());
      case FAILED -> partial(result.reason(), result, "failed", !result.refused());
    };
  }

  private TaskOutcome finished(GenerationResult result) {
    OutputConstraint constraint = resolved.terms().parameters().output().constraint();
    ReasoningSplitter.Parts parts = resolved.splitAnswer(result);
    String reason = result.finish() == FinishReason.STOP ? "stop" : "length";
    JsonObject receipt = receipt(result, reason, parts.reasoning());
    if (constraint != null && constraint.requiresJson()) {
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

  private TaskOutcome released(GenerationResult result) {
    if (task.stopSignal().wasPaused()) {
      return new Released("paused");
    }
    if (closing) {
      return new Released("the models are closed");
    }
    lease.markBroken(); // the engine has ended by itself
    return partial("the engine stopped: " + result.reason(), result, "failed", true);
  }

  private TaskOutcome partial(
      String message, GenerationResult result, String reason, boolean retryable) {
    return new Failed(new Failure(message, retryable, result.text(), receipt(result, reason, "")));
  }

  private JsonObject receipt(GenerationResult result, String reason, String thoughts) {
    return ReceiptJson.of(
        resolved.terms(), result, reason, resolved.priorTokens().length, thoughts);
  }
}
