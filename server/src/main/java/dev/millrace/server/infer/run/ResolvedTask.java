package dev.millrace.server.infer.run;

import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.parameters.EffectiveParameters;
import dev.millrace.server.infer.parameters.OutputConstraint;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.util.Arrays;

/**
 * A task whose terms are kept with its job.
 *
 * @param prior tokens of earlier attempts to go on from
 */
public record ResolvedTask(TokenizedPrompt prompt, FrozenTerms terms, int[] priorTokens) {

  /**
   * The prior tokens that leave room for one more: an attempt that had filled the context and was
   * lost then generates its last token again.
   */
  int[] resumableTokens(int capacity) {
    int room = Math.max(0, capacity - 1 - prompt.tokens().length);
    return priorTokens.length <= room ? priorTokens : Arrays.copyOf(priorTokens, room);
  }

  /**
   * As the wheel wants it, from the beginning.
   *
   * @throws TaskRefused if the output's rule cannot be honoured
   */
  public GenerationRequest request(LoadedModel model, long order) throws InterruptedException {
    EffectiveParameters parameters = terms.parameters();
    GenerationRequest request =
        GenerationRequest.of(prompt.tokens(), parameters.engineSampling(), parameters.maxTokens())
            .withStops(parameters.output().stops())
            .withOrder(order);
    if (parameters.output().ignoreEos()) {
      request = request.ignoringEnd();
    }
    OutputConstraint rule = parameters.output().constraint();
    return rule == null ? request : request.withConstraint(model.constraints().compile(rule));
  }

  /**
   * The answer, and apart from it the thoughts. What a rule constrains is all answer, even where the
   * prompt opened a place for thoughts.
   */
  public ReasoningSplitter.Parts splitAnswer(GenerationResult result) {
    return terms.parameters().output().constraint() == null
        ? prompt.splitThoughts(result.text())
        : new ReasoningSplitter.Parts("", result.text());
  }
}
