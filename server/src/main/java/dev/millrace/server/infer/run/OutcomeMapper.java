package dev.millrace.server.infer.run;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.TaskOutcome.Done;
import dev.millrace.server.TaskOutcome.Failed;
import dev.millrace.server.TaskOutcome.Released;
import dev.millrace.server.infer.parameters.OutputConstraint;
import dev.millrace.server.infer.shelf.ModelLease;
import java.util.List;

/**
 * Maps the end of a generation to the outcome of its task.
 *
 * @param output what was recorded of the generation
 * @param closing whether all models are being closed
 */
record OutcomeMapper(
    ResolvedTask resolved,
    TaskContext task,
    OutputRecorder output,
    ModelLease<?> lease,
    boolean closing) {
  private static final AnswerContent UNREAD = new AnswerContent("", "", List.of());

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
    AnswerContent content = AnswerContent.of(resolved.outputFormat(), result);
    JsonObject receipt = receipt(result, finishReason(result, content), content);
    if (constraint != null && constraint.requiresJson() && content.calls().isEmpty()) {
      try {
        Json.parse(content.text());
      } catch (JsonException e) {
        return new Failed(
            Failure.permanent("Structured job produced invalid JSON: " + e.getMessage())
                .withPartial(result.text(), receipt));
      }
    }
    return new Done(TaskResult.of(content.text()).withReceipt(receipt));
  }

  private static String finishReason(GenerationResult result, AnswerContent content) {
    if (result.finish() != FinishReason.STOP) {
      return "length";
    }
    return content.calls().isEmpty() ? "stop" : "tool_calls";
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
    return new Failed(
        new Failure(message, retryable, result.text(), receipt(result, reason, UNREAD)));
  }

  private JsonObject receipt(GenerationResult result, String reason, AnswerContent content) {
    return ReceiptJson.of(resolved, result, reason, output, content);
  }
}
