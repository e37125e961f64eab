package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.TaskContext;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.parameters.EffectiveParameters;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.Sha256;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Settles the terms of a task, or finds those again that an earlier attempt settled. */
final class TermsResolver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int[] NONE = {};

  /** Positions that must be free after a prompt, unless less is asked for: nrvna's overhead. */
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
   * @return null if the claim is gone
   * @throws TaskRefused if the prompt is too large
   */
  @Nullable ResolvedTask resolve() {
    JsonObject frozen = task.claim().frozenTerms();
    ResolvedTask before = frozen == null ? null : resume(frozen);
    return before == null ? resolveFresh() : before;
  }

  /** As an earlier attempt settled it; null if that cannot be gone on with. */
  private @Nullable ResolvedTask resume(JsonObject frozen) {
    int[] prior = task.claim().journaledTokens().stream().mapToInt(Integer::intValue).toArray();
    String change;
    try {
      EffectiveParameters parameters =
          EffectiveParameters.parse(frozen.object("parameters"), asked.output().constraint());
      TokenizedPrompt prompt = prompted(parameters);
      FrozenTerms terms = FrozenTerms.of(model, prompt, parameters);
      Optional<String> changed = terms.changeSince(frozen);
      if (changed.isEmpty()) {
        return new ResolvedTask(prompt, terms, prior);
      }
      change = changed.get();
    } catch (TaskRefused e) {
      throw e; // about the task, not about its terms
    } catch (RuntimeException e) {
      change = "what an earlier attempt settled cannot be read: " + e.getMessage();
    }
    String line = "%s: %d tokens are discarded and it starts again".formatted(change, prior.length);
    task.log(line);
    LOG.log(Level.INFO, "task " + task.claim() + ": " + line);
    return null;
  }

  /** By the same terms from the beginning: what was journaled is dropped. */
  @Nullable ResolvedTask restart(ResolvedTask before) {
    return task.freeze(before.terms().toJson())
        ? new ResolvedTask(before.prompt(), before.terms(), NONE)
        : null;
  }

  /** From the beginning. */
  @Nullable ResolvedTask resolveFresh() {
    EffectiveParameters wanted =
        EffectiveParameters.of(asked, model.defaults(), seed(task.claim()));
    TokenizedPrompt prompt = prompted(wanted);
    EffectiveParameters parameters = wanted.cappedTo(room(prompt, wanted));
    FrozenTerms terms = FrozenTerms.of(model, prompt, parameters);
    checkBias(parameters);
    return task.freeze(terms.toJson()) ? new ResolvedTask(prompt, terms, NONE) : null;
  }

  /** The same in every attempt, even before the first has written it down. */
  private static long seed(Claim claim) {
    return Sha256.number53(claim.job() + "/" + claim.key().stage() + "/" + claim.key().task());
  }

  private TokenizedPrompt prompted(EffectiveParameters parameters) {
    try {
      return TokenizedPrompt.of(
          model.prompts(), asked.prompt(), parameters.thinking(), task.claim().createdAt());
    } catch (EngineException e) {
      throw new TaskRefused(String.valueOf(e.getMessage()), e);
    }
  }

  private int room(TokenizedPrompt prompt, EffectiveParameters wanted) {
    int tokens = prompt.tokens().length;
    int capacity = model.capacity();
    if (tokens == 0) {
      throw new TaskRefused("Empty prompt");
    }
    if (tokens + Math.min(OVERHEAD, wanted.maxTokens()) > capacity) {
      throw new TaskRefused(
          "Prompt too large for context budget: prompt_tokens=%d max_ctx=%d overhead=%d requested_n_predict=%d"
              .formatted(tokens, capacity, OVERHEAD, wanted.maxTokens()));
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
