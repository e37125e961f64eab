package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.parameters.EffectiveParameters;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.OutputConstraint;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.time.Instant;
import java.util.Arrays;

/**
 * A task whose terms are frozen with its job.
 *
 * @param priorTokens of earlier attempts, to resume from
 */
public record ResolvedTask(TokenizedPrompt prompt, FrozenTerms terms, int[] priorTokens) {

  /**
   * The task under terms that were frozen earlier, as far as they hold: see {@link
   * FrozenTerms#changeSince}.
   *
   * @param createdAt the clock of the chat template
   * @throws TaskRefused if the prompt cannot be rendered
   */
  public static ResolvedTask under(
      JsonObject frozen, LoadedModel model, GenerateParameters asked, Instant createdAt) {
    EffectiveParameters parameters =
        EffectiveParameters.parse(frozen.object("parameters"), asked.output().constraint());
    TokenizedPrompt prompt =
        TokenizedPrompt.of(model.prompts(), asked.prompt(), parameters.thinking(), createdAt);
    return new ResolvedTask(
        prompt, FrozenTerms.of(model, prompt, parameters), TermsResolution.NO_TOKENS);
  }

  ResolvedTask withPriorTokens(int[] tokens) {
    return new ResolvedTask(prompt, terms, tokens);
  }

  /**
   * The prior tokens that leave space for one more: an attempt that filled the context and was lost
   * generates its last token again.
   */
  int[] resumableTokens(int capacity) {
    int space = Math.max(0, capacity - 1 - prompt.tokens().length);
    return priorTokens.length <= space ? priorTokens : Arrays.copyOf(priorTokens, space);
  }

  /**
   * The request to the engine, without prior tokens.
   *
   * @throws TaskRefused if the output constraint cannot be compiled
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
    OutputConstraint constraint = parameters.output().constraint();
    return constraint == null
        ? request
        : request.withConstraint(model.constraints().compile(constraint));
  }

  /**
   * Separates the answer from the thoughts. A constrained output is all answer, even if the prompt
   * opened a section for thoughts.
   */
  public ReasoningSplitter.Parts splitAnswer(GenerationResult result) {
    return terms.parameters().output().constraint() == null
        ? prompt.splitThoughts(result.text())
        : new ReasoningSplitter.Parts("", result.text());
  }
}
