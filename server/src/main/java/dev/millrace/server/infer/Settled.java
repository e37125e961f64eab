package dev.millrace.server.infer;

import dev.millrace.engine.chat.Thoughts;
import dev.millrace.engine.wheel.Request;
import dev.millrace.engine.wheel.Result;
import java.util.Arrays;

/**
 * A task whose terms are kept with its job.
 *
 * @param prior tokens of earlier attempts to go on from
 */
record Settled(Prompted prompt, Terms terms, int[] prior) {

  /**
   * The prior tokens that leave room for one more: an attempt that had filled the context and was
   * lost then generates its last token again.
   */
  int[] usablePrior(int capacity) {
    int room = Math.max(0, capacity - 1 - prompt.tokens().length);
    return prior.length <= room ? prior : Arrays.copyOf(prior, room);
  }

  /**
   * As the wheel wants it, from the beginning.
   *
   * @throws Refusal if the output's rule cannot be honoured
   */
  Request request(LoadedModel model, long order) throws InterruptedException {
    Effective parameters = terms.parameters();
    Request request =
        Request.of(prompt.tokens(), parameters.sampling(), parameters.maxTokens())
            .withStops(parameters.stops())
            .withOrder(order);
    if (parameters.ignoreEos()) {
      request = request.ignoringEnd();
    }
    Rule rule = parameters.rule();
    return rule == null ? request : request.withConstraint(model.constraints().of(rule));
  }

  /**
   * The answer, and apart from it the thoughts. What a rule constrains is all answer, even where the
   * prompt opened a place for thoughts.
   */
  Thoughts.Parts answer(Result result) {
    return terms.parameters().rule() == null
        ? prompt.parts(result.text())
        : new Thoughts.Parts("", result.text());
  }
}
