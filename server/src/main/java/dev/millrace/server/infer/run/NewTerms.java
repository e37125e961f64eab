package dev.millrace.server.infer.run;

import dev.millrace.core.task.OutputChunk;
import dev.millrace.server.infer.model.WeightlessModel;
import dev.millrace.server.infer.parameters.EffectiveParameters;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.time.Instant;

/**
 * Completes what a task asks for by the present defaults, and checks that the model can run it.
 *
 * @param sha256 of the model's file
 */
record NewTerms(WeightlessModel model, String sha256, GenerateParameters asked) {
  /**
   * The positions that must be free after the prompt, or fewer if the task asks for fewer; as in
   * nrvna.
   */
  private static final int OVERHEAD = 64;

  ResolvedTask resolve(long seed, Instant createdAt) {
    EffectiveParameters uncapped = EffectiveParameters.of(asked, model.defaults(), seed);
    TokenizedPrompt prompt = TokenizedPrompt.of(model.prompts(), asked, uncapped, createdAt);
    checkTokens(prompt);
    EffectiveParameters parameters =
        uncapped.cappedTo(room(prompt, uncapped)).withTools(asked.tools().use(prompt.callFormat()));
    checkBias(parameters);
    FrozenTerms terms =
        FrozenTerms.of(model, sha256, model.numerics().newest(), prompt, parameters);
    return new ResolvedTask(prompt, terms, OutputChunk.EMPTY);
  }

  private void checkTokens(TokenizedPrompt prompt) {
    int size = model.tokenizer().size();
    for (int token : prompt.tokens()) {
      if (token >= size) {
        throw TaskRefused.ofParameter(
            "prompt_tokens",
            "parameter \"prompt_tokens\" has token %d; model \"%s\" has tokens 0 to %d"
                .formatted(token, model.name(), size - 1));
      }
    }
  }

  private int room(TokenizedPrompt prompt, EffectiveParameters uncapped) {
    int tokens = prompt.tokens().length;
    int capacity = model.capacity();
    if (tokens == 0) {
      throw TaskRefused.ofParameter(asked.prompt().parameter(), "Empty prompt");
    }
    if (tokens + Math.min(OVERHEAD, uncapped.maxTokens()) > capacity) {
      throw new TaskRefused(
          TaskRefused.Reason.CONTEXT_LENGTH,
          asked.prompt().parameter(),
          "Prompt too large for context budget: prompt_tokens=%d max_ctx=%d overhead=%d requested_n_predict=%d; the maximum context length is %d tokens, and the prompt has %d"
              .formatted(tokens, capacity, OVERHEAD, uncapped.maxTokens(), capacity, tokens),
          null);
    }
    return capacity - tokens;
  }

  private void checkBias(EffectiveParameters parameters) {
    int size = model.tokenizer().size();
    for (int token : parameters.logits().logitBias().keySet()) {
      if (token >= size) {
        throw TaskRefused.ofParameter(
            "logit_bias",
            "parameter \"logit_bias\" names token %d; model \"%s\" has tokens 0 to %d"
                .formatted(token, model.name(), size - 1));
      }
    }
  }
}
