package dev.millrace.server.infer;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.numerics.NumericsVersion;
import dev.millrace.server.infer.model.LoadedEmbedder;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.model.ModelLibrary;
import dev.millrace.server.infer.parameters.EmbedParameters;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.run.AnswerContent;
import dev.millrace.server.infer.run.FrozenTerms;
import dev.millrace.server.infer.run.ResolvedTask;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelLoadException;
import java.util.List;
import java.util.Optional;

/**
 * Repeats a finished task under the frozen terms of its first attempt, and compares the results.
 */
record TaskVerifier(ModelLibrary library) {
  private static final int SHOWN = 30;

  VerifyResult verify(VerifyRequest request) throws InterruptedException {
    try {
      return request.type().equals("embed") ? embedded(request) : generated(request);
    } catch (TaskRefused | ModelLoadException | JsonException | EngineException e) {
      return cannot(String.valueOf(e.getMessage()));
    }
  }

  private static VerifyResult cannot(String why) {
    return VerifyResult.notRepeated("cannot be repeated here: " + why);
  }

  private VerifyResult generated(VerifyRequest request) throws InterruptedException {
    if (!request.type().equals("generate")) {
      return cannot("tasks of type \"%s\" are not run by a model".formatted(request.type()));
    }
    GenerateParameters asked = GenerateParameters.of(request.data(), request.input());
    String name = request.terms().string("model");
    Optional<String> missing = library.waitReason(name);
    if (missing.isPresent()) {
      return cannot("model \"%s\" is not ready: %s".formatted(name, missing.get()));
    }
    Optional<ModelLease<LoadedModel>> lease = library.requestGenerator(name).await();
    try (ModelLease<LoadedModel> lent = lease.orElseThrow()) {
      return generated(lent.item(), asked, request);
    }
  }

  private static VerifyResult generated(
      LoadedModel model, GenerateParameters asked, VerifyRequest request)
      throws InterruptedException {
    JsonObject frozen = request.terms();
    ResolvedTask resolved = ResolvedTask.under(frozen, model, asked, request.createdAt());
    Optional<String> change = resolved.terms().changeSince(frozen);
    if (change.isPresent()) {
      return cannot(change.get());
    }
    GenerationResult result =
        await(
            model
                .engine()
                .submit(
                    resolved.request(model.weightless(), Long.MAX_VALUE),
                    (id, text, logprobs) -> {}));
    if (result.finish() == FinishReason.REVOKED) {
      return cannot("other nodes returned values that cannot be trusted: " + result.reason());
    }
    if (result.finish() != FinishReason.STOP && result.finish() != FinishReason.LENGTH) {
      return cannot("the repetition ended with " + result.finish() + " " + result.reason());
    }
    AnswerContent content = AnswerContent.of(resolved.outputFormat(), result);
    JsonObject receipt = request.result().receipt();
    List<?> before = receipt == null ? List.of() : receipt.list("tool_calls");
    return compare(
        withCalls(request.result().text(), before), withCalls(content.text(), content.callsJson()));
  }

  /** Nobody waits for what an interrupted verification would still compute. */
  private static GenerationResult await(Generation running) throws InterruptedException {
    try {
      return running.await();
    } catch (InterruptedException e) {
      running.cancel();
      throw e;
    }
  }

  private static String withCalls(String text, List<?> calls) {
    return calls.isEmpty() ? text : text + Json.write(calls);
  }

  private VerifyResult embedded(VerifyRequest request) throws InterruptedException {
    JsonObject receipt = request.result().receipt();
    if (receipt == null) {
      return cannot("its result has no receipt that names the model");
    }
    EmbedParameters asked = EmbedParameters.of(request.data(), request.input());
    Optional<ModelLease<LoadedEmbedder>> lease =
        library.requestEmbedder(receipt.string("model")).await();
    try (ModelLease<LoadedEmbedder> lent = lease.orElseThrow()) {
      String sha256 = lent.item().sha256();
      if (!sha256.equals(receipt.string("model_sha256"))) {
        return cannot(
            "the model file changed (%s then, %s now)"
                .formatted(receipt.string("model_sha256"), sha256));
      }
      NumericsVersion begun = FrozenTerms.numericsOf(receipt);
      Optional<String> change = lent.item().numerics().select(begun).changeSince(begun);
      if (change.isPresent()) {
        return cannot(change.get());
      }
      return compare(
          request.result().text(), lent.item().embed(asked, cancel -> {}).orElseThrow().text());
    }
  }

  private static VerifyResult compare(String before, String now) {
    if (before.equals(now)) {
      return new VerifyResult(true, true, "the same %d characters".formatted(now.length()));
    }
    int at = 0;
    while (at < before.length() && at < now.length() && before.charAt(at) == now.charAt(at)) {
      at++;
    }
    return new VerifyResult(
        false,
        true,
        "differs from character %d on: the result has \"%s\", the repetition \"%s\" (%d and %d characters in all)"
            .formatted(at + 1, from(before, at), from(now, at), before.length(), now.length()));
  }

  private static String from(String text, int at) {
    int end = Math.min(text.length(), at + SHOWN);
    return text.substring(at, end) + (end < text.length() ? "…" : "");
  }
}
