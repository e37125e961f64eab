package dev.millrace.server.infer.run;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.server.TaskContext;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.run.TermsResolution.Refused;
import dev.millrace.server.infer.run.TermsResolution.Resumed;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/** Resolves the terms of a task: those that an earlier attempt froze, or new ones. */
final class TermsResolver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

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
    OutputChunk prior = task.claim().journaledOutput();
    String change;
    try {
      ResolvedTask resolved =
          ResolvedTask.under(frozen, model, asked, task.claim().createdAt()).withPrior(prior);
      Optional<String> changed = resolved.terms().changeSince(frozen);
      if (changed.isEmpty()) {
        return new Resumed(resolved, this::freezeNew);
      }
      change = changed.get();
    } catch (TaskRefused e) {
      return new Refused(e.getMessage()); // about the task, not about its terms
    } catch (CancellationException e) {
      throw e; // about neither
    } catch (RuntimeException e) {
      change = "the frozen terms of an earlier attempt cannot be read: " + e.getMessage();
    }
    String line = "%s: %d tokens discarded; restarting".formatted(change, prior.tokens().size());
    task.log(line);
    LOG.log(Level.INFO, "task " + task.claim() + ": " + line);
    return freezeNew();
  }

  /** New terms from the current defaults. */
  private TermsResolution freezeNew() {
    try {
      return TermsResolution.freeze(
          task, ResolvedTask.resolve(model, asked, seed(task.claim()), task.claim().createdAt()));
    } catch (TaskRefused e) {
      return new Refused(e.getMessage());
    }
  }

  /** The same in every attempt, even if the first was lost before it froze its terms. */
  private static long seed(Claim claim) {
    return Sha256.number53(claim.job() + "/" + claim.key().stage() + "/" + claim.key().task());
  }
}
