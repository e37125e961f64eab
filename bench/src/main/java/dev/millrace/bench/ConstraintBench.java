package dev.millrace.bench;

import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.core.json.Json;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.JsonSchema;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Measures the cost of a JSON schema: a model of the 1B shape (or the given file) generates with
 * and without it, in turns.
 */
public final class ConstraintBench {
  private static final String SCHEMA =
      """
      {"type": "object", "additionalProperties": false, "required": ["people"], "properties": {
        "people": {"type": "array", "minItems": 100, "items": {"type": "object", "additionalProperties": false,
          "required": ["name", "age", "tags"], "properties": {
            "name": {"type": "string"}, "age": {"type": "integer", "minimum": 0, "maximum": 120},
            "tags": {"type": "array", "items": {"enum": ["red", "green", "blue"]}}}}}}}
      """;

  private ConstraintBench() {}

  public static void main(String[] args) throws Exception {
    Path model =
        args.length > 0
            ? Path.of(args[0])
            : ScratchDirectories.fresh("constraint").resolve("1b.gguf");
    if (!Files.exists(model)) {
      RandomModels.write(model, ModelShape.llama1b(), TensorType.Q4_0, 1);
    }
    try (Engine engine =
        Engine.open(model, EngineSettings.usual().withThreads(2).withContext(512))) {
      long start = System.nanoTime();
      Constraint constraint = engine.constraint(JsonSchema.compile(Json.object(SCHEMA).values()));
      System.out.printf(Locale.ROOT, "compiled in %.0f ms%n", (System.nanoTime() - start) / 1e6);
      new InterleavedRounds()
          .add("free", () -> generate(engine, null))
          .add("constrained", () -> generate(engine, constraint))
          .run(5)
          .print("tokens");
    }
    ScratchDirectories.clean();
  }

  private static double generate(Engine engine, @Nullable Constraint constraint)
      throws InterruptedException {
    Sampling sampling = Sampling.builder().temperature(1).topK(40).seed(1).build();
    GenerationRequest request =
        GenerationRequest.of(engine.prompts().raw("people"), sampling, 128).ignoringEnd();
    if (constraint != null) {
      request = request.withConstraint(constraint);
    }
    GenerationResult result = engine.submit(request, (token, text, logprobs) -> {}).await();
    return (result.usage().generatedTokens() - 1) * 1e9 / result.usage().decodeNanos();
  }
}
