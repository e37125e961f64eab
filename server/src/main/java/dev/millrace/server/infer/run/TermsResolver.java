package dev.millrace.server.infer.run;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.server.TaskContext;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.parameters.EffectiveParameters;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.run.TermsResolution.Refused;
import dev.millrace.server.infer.run.TermsResolution.Resumed;
import java.lang.System.Logger.Level;
import java.util.Optional;

/** Resolves the terms of a task: those that an earlier attempt froze, or new ones. */
final class TermsResolver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /**
   * The positions that must be free after the prompt, or fewer if the task asks for fewer; as in
   * nrvna.
   */
  private static final int OVERHEAD = 64;

  private final LoadedModel model;
  private final GenerateParameters asked;
  private final TaskContext task;

  TermsResolver(LoadedModel model, GenerateParameters asked, TaskContext task) {
    this.model = model;
    this.asked = asked;
    this.task = task;
  }

  TermsResolution resolve() {
    JsonObject frozen = task.claim().frozenTerms();
    return frozen == null ? freezeNew() : resume(frozen);
  }

  private TermsResolution resume(JsonObject frozen) {
    int[] prior = task.claim().journaledTokens().stream().mapToInt(Integer::intValue).toArray();
    String change;
    try {
      ResolvedTask resolved =
          ResolvedTask.under(frozen, model, asked, task.claim().createdAt()).withPriorTokens(prior);
      Optional<String> changed = resolved.terms().changeSince(frozen);
      if (changed.isEmpty()) {
        return new Resumed(resolved, this::freezeNew);
      }
      change = changed.get();
    } catch (TaskRefused e) {
      return new Refused(e.getMessage()); // about the task, not about its terms
    } catch (RuntimeException e) {
      change = "the frozen terms of an earlier attempt cannot be read: " + e.getMessage();
    }
    String line = "%s: %d tokens discarded; restarting".formatted(change, prior.length);
    task.log(line);
    LOG.log(Level.INFO, "task " + task.claim() + ": " + line);
    return freezeNew();
  }

  /** New terms from the current defaults. */
  private TermsResolution freezeNew() {
    try {
      return TermsResolution.freeze(task, newTerms());
    } catch (TaskRefused e) {
      return new Refused(e.getMessage());
    }
  }

  private ResolvedTask newTerms() {
    EffectiveParameters uncapped =
        EffectiveParameters.of(asked, model.defaults(), seed(task.claim()));
    TokenizedPrompt prompt =
        TokenizedPrompt.of(
            model.prompts(), asked.prompt(), uncapped.thinking(), task.claim().createdAt());
    EffectiveParameters parameters = uncapped.cappedTo(room(prompt, uncapped));
    checkBias(parameters);
    return new ResolvedTask(
        prompt, FrozenTerms.of(model, prompt, parameters), TermsResolution.NO_TOKENS);
  }

  /** The same in every attempt, even if the first was lost before it froze its terms. */
  private static long seed(Claim claim) {
    return Sha256.number53(claim.job() + "/" + claim.key().stage() + "/" + claim.key().task());
  }

  private int room(TokenizedPrompt prompt, EffectiveParameters uncapped) {
    int tokens = prompt.tokens().length;
    int capacity = model.capacity();
    if (tokens == 0) {
      throw new TaskRefused("Empty prompt");
    }
    if (tokens + Math.min(OVERHEAD, uncapped.maxTokens()) > capacity) {
      throw new TaskRefused(
          "Prompt too large for context budget: prompt_tokens=%d max_ctx=%d overhead=%d requested_n_predict=%d"
              .formatted(tokens, capacity, OVERHEAD, uncapped.maxTokens()));
    }
    return capacity - tokens;
  }

  private void checkBias(EffectiveParameters parameters) {
    int size = model.engine().tokenizer().size();
    for (int token : parameters.logits().logitBias().keySet()) {
      if (token >= size) {
        throw new TaskRefused(
            "parameter \"logit_bias\" names token %d; model \"%s\" has tokens 0 to %d"
                .formatted(token, model.name(), size - 1));
      }
    }
  }
}
