package dev.millrace.server.infer.run;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.TaskContext;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.parameters.EffectiveParameters;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Resolves the terms of a task: those that an earlier attempt froze, or new ones. */
final class TermsResolver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int[] NONE = {};

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

  /**
   * @return null if the claim is lost
   * @throws TaskRefused if the prompt is too large
   */
  @Nullable ResolvedTask resolve() {
    JsonObject frozen = task.claim().frozenTerms();
    ResolvedTask before = frozen == null ? null : resume(frozen);
    return before == null ? resolveFresh() : before;
  }

  /** The frozen terms and tokens of an earlier attempt; null if they cannot be resumed. */
  private @Nullable ResolvedTask resume(JsonObject frozen) {
    int[] prior = task.claim().journaledTokens().stream().mapToInt(Integer::intValue).toArray();
    String change;
    try {
      EffectiveParameters parameters =
          EffectiveParameters.parse(frozen.object("parameters"), asked.output().constraint());
      TokenizedPrompt prompt = tokenize(parameters);
      FrozenTerms terms = FrozenTerms.of(model, prompt, parameters);
      Optional<String> changed = terms.changeSince(frozen);
      if (changed.isEmpty()) {
        return new ResolvedTask(prompt, terms, prior);
      }
      change = changed.get();
    } catch (TaskRefused e) {
      throw e; // about the task, not about its terms
    } catch (RuntimeException e) {
      change = "the frozen terms of an earlier attempt cannot be read: " + e.getMessage();
    }
    String line = "%s: %d tokens discarded; restarting".formatted(change, prior.length);
    task.log(line);
    LOG.log(Level.INFO, "task " + task.claim() + ": " + line);
    return null;
  }

  /** Restarts under the same terms; the journal is dropped. */
  @Nullable ResolvedTask restart(ResolvedTask before) {
    return task.freeze(before.terms().toJson())
        ? new ResolvedTask(before.prompt(), before.terms(), NONE)
        : null;
  }

  /** New terms from the current defaults; the journal is dropped. */
  @Nullable ResolvedTask resolveFresh() {
    EffectiveParameters uncapped =
        EffectiveParameters.of(asked, model.defaults(), seed(task.claim()));
    TokenizedPrompt prompt = tokenize(uncapped);
    EffectiveParameters parameters = uncapped.cappedTo(room(prompt, uncapped));
    FrozenTerms terms = FrozenTerms.of(model, prompt, parameters);
    checkBias(parameters);
    return task.freeze(terms.toJson()) ? new ResolvedTask(prompt, terms, NONE) : null;
  }

  /** The same in every attempt, even if the first was lost before it froze its terms. */
  private static long seed(Claim claim) {
    return Sha256.number53(claim.job() + "/" + claim.key().stage() + "/" + claim.key().task());
  }

  private TokenizedPrompt tokenize(EffectiveParameters parameters) {
    try {
      return TokenizedPrompt.of(
          model.prompts(), asked.prompt(), parameters.thinking(), task.claim().createdAt());
    } catch (EngineException e) {
      throw new TaskRefused(String.valueOf(e.getMessage()), e);
    }
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
