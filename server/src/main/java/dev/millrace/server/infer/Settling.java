package dev.millrace.server.infer;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.engine.EngineException;
import dev.millrace.server.TaskContext;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Settles the terms of a task, or finds those again that an earlier attempt settled. */
final class Settling {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int[] NONE = {};

  /** Positions that must be free after a prompt, unless less is asked for: nrvna's overhead. */
  private static final int OVERHEAD = 64;

  private final LoadedModel model;
  private final Parameters asked;
  private final TaskContext task;

  Settling(LoadedModel model, Parameters asked, TaskContext task) {
    this.model = model;
    this.asked = asked;
    this.task = task;
  }

  /**
   * @return null if the claim is gone
   * @throws Refusal if the prompt is too large
   */
  @Nullable Settled settle() {
    JsonObject frozen = task.claim().frozen();
    Settled before = frozen == null ? null : again(frozen);
    return before == null ? afresh() : before;
  }

  /** As an earlier attempt settled it; null if that cannot be gone on with. */
  private @Nullable Settled again(JsonObject frozen) {
    int[] prior = task.claim().prior().stream().mapToInt(Integer::intValue).toArray();
    String change;
    try {
      Effective parameters = Effective.parse(frozen.object("parameters"), asked.rule());
      Prompted prompt = prompted(parameters);
      Terms terms = Terms.of(model, prompt, parameters);
      Optional<String> changed = terms.changeSince(frozen);
      if (changed.isEmpty()) {
        return new Settled(prompt, terms, prior);
      }
      change = changed.get();
    } catch (Refusal e) {
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
  @Nullable Settled anew(Settled before) {
    return task.freeze(before.terms().toJson())
        ? new Settled(before.prompt(), before.terms(), NONE)
        : null;
  }

  /** From the beginning. */
  @Nullable Settled afresh() {
    Effective wanted = Effective.of(asked, model.defaults(), seed(task.claim()));
    Prompted prompt = prompted(wanted);
    Effective parameters = wanted.within(room(prompt, wanted));
    Terms terms = Terms.of(model, prompt, parameters);
    checkBias(parameters);
    return task.freeze(terms.toJson()) ? new Settled(prompt, terms, NONE) : null;
  }

  /** The same in every attempt, even before the first has written it down. */
  private static long seed(Claim claim) {
    return Hashes.number(claim.job() + "/" + claim.hold().stage() + "/" + claim.hold().task());
  }

  private Prompted prompted(Effective parameters) {
    try {
      return Prompted.of(
          model.prompts(), asked.conversation(), parameters.thinking(), task.claim().createdAt());
    } catch (EngineException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    }
  }

  private int room(Prompted prompt, Effective wanted) {
    int tokens = prompt.tokens().length;
    int capacity = model.capacity();
    if (tokens == 0) {
      throw new Refusal("Empty prompt");
    }
    if (tokens + Math.min(OVERHEAD, wanted.maxTokens()) > capacity) {
      throw new Refusal(
          "Prompt too large for context budget: prompt_tokens=%d max_ctx=%d overhead=%d requested_n_predict=%d"
              .formatted(tokens, capacity, OVERHEAD, wanted.maxTokens()));
    }
    return capacity - tokens;
  }

  private void checkBias(Effective parameters) {
    int size = model.engine().tokenizer().size();
    for (int token : parameters.logitBias().keySet()) {
      if (token >= size) {
        throw new Refusal(
            "parameter \"logit_bias\" names token %d; model \"%s\" has tokens 0 to %d"
                .formatted(token, model.name(), size - 1));
      }
    }
  }
}
