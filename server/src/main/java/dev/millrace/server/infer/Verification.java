package dev.millrace.server.infer;

import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.Numerics;
import dev.millrace.engine.wheel.Finish;
import dev.millrace.engine.wheel.Result;
import java.util.Optional;

/** Does a finished task again, under the terms that its first attempt settled. */
record Verification(Library library) {
  private static final int SHOWN = 30;
  private static final int[] NONE = {};

  Verdict of(VerifyRequest request) throws InterruptedException {
    try {
      return request.type().equals("embed") ? embedded(request) : generated(request);
    } catch (Refusal | LoadFailure | JsonException | EngineException e) {
      return cannot(String.valueOf(e.getMessage()));
    }
  }

  private static Verdict cannot(String why) {
    return new Verdict(false, "it cannot be repeated here: " + why);
  }

  private Verdict generated(VerifyRequest request) throws InterruptedException {
    if (!request.type().equals("generate")) {
      return cannot("tasks of type \"%s\" are not a model's".formatted(request.type()));
    }
    Parameters asked = Parameters.of(request.data(), request.input());
    String name = request.terms().string("model");
    Optional<String> missing = library.missing(name);
    if (missing.isPresent()) {
      return cannot("model \"%s\" is not ready: %s".formatted(name, missing.get()));
    }
    Optional<Lease<LoadedModel>> lease = library.generator(name).await();
    try (Lease<LoadedModel> lent = lease.orElseThrow()) {
      return generated(lent.item(), asked, request);
    }
  }

  private static Verdict generated(LoadedModel model, Parameters asked, VerifyRequest request)
      throws InterruptedException {
    JsonObject frozen = request.terms();
    Effective parameters = Effective.parse(frozen.object("parameters"), asked.rule());
    Prompted prompt =
        Prompted.of(
            model.prompts(), asked.conversation(), parameters.thinking(), request.createdAt());
    Terms terms = Terms.of(model, prompt, parameters);
    Optional<String> change = terms.changeSince(frozen);
    if (change.isPresent()) {
      return cannot(change.get());
    }
    Settled settled = new Settled(prompt, terms, NONE);
    Result result =
        model
            .engine()
            .submit(settled.request(model, Long.MAX_VALUE), (id, text, logprobs) -> {})
            .await();
    if (result.finish() == Finish.REVOKED) {
      return cannot("what other nodes computed for it cannot be trusted: " + result.reason());
    }
    if (result.finish() != Finish.STOP && result.finish() != Finish.LENGTH) {
      return cannot("it ended with " + result.finish() + " " + result.reason());
    }
    return compare(request.result().text(), settled.answer(result).answer());
  }

  private Verdict embedded(VerifyRequest request) throws InterruptedException {
    JsonObject receipt = request.result().receipt();
    if (receipt == null) {
      return cannot("its result has no receipt, which names the model");
    }
    EmbedParameters asked = EmbedParameters.of(request.data(), request.input());
    Optional<Lease<LoadedEmbeddings>> lease = library.embedder(receipt.string("model")).await();
    try (Lease<LoadedEmbeddings> lent = lease.orElseThrow()) {
      String sha256 = lent.item().sha256();
      if (!sha256.equals(receipt.string("model_sha256"))) {
        return cannot(
            "the model file changed (%s then, %s now)"
                .formatted(receipt.string("model_sha256"), sha256));
      }
      if (receipt.integer("numerics") != Numerics.VERSION) {
        return cannot(
            "the arithmetic has another version (%d then, %d now)"
                .formatted(receipt.integer("numerics"), Numerics.VERSION));
      }
      return compare(
          request.result().text(), lent.item().embed(asked, new Brake()).orElseThrow().text());
    }
  }

  private static Verdict compare(String before, String now) {
    if (before.equals(now)) {
      return new Verdict(true, "the same %d characters".formatted(now.length()));
    }
    int at = 0;
    while (at < before.length() && at < now.length() && before.charAt(at) == now.charAt(at)) {
      at++;
    }
    return new Verdict(
        false,
        "it differs from character %d on: the result has \"%s\" there, repeated it is \"%s\" (%d and %d characters in all)"
            .formatted(at + 1, from(before, at), from(now, at), before.length(), now.length()));
  }

  private static String from(String text, int at) {
    int end = Math.min(text.length(), at + SHOWN);
    return text.substring(at, end) + (end < text.length() ? "…" : "");
  }
}
