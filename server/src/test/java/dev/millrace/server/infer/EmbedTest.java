package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.Embeddings;
import dev.millrace.engine.api.Pooling;
import dev.millrace.server.FakeTaskContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Embeddings: the engine's vectors in nrvna's format, the same in any batch. */
@Timeout(60)
class EmbedTest {
  private static Inference inference;

  @BeforeAll
  static void open() {
    inference = Inference.open(TinyModels.serving(TinyModels.llama(), TinyModels.encoder()));
  }

  @AfterAll
  static void close() {
    inference.close();
  }

  private static TaskResult embed(Object input, String data) throws Exception {
    return TaskRunFixture.result(inference, new FakeTaskContext("embed", input, Json.object(data)));
  }

  private static float[] vector(TaskResult result) {
    JsonObject json = Json.object(result.text());
    List<?> numbers = json.list("vector");
    assertThat(json.integer("dim")).isEqualTo(numbers.size());
    float[] vector = new float[numbers.size()];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = ((Number) Objects.requireNonNull(numbers.get(i))).floatValue();
    }
    return vector;
  }

  @Test
  void theVectorEqualsThatOfTheEngine() throws Exception {
    TaskResult result = embed("a b cd", "{}");
    assertThat(result.kind()).isEqualTo(TaskResult.Kind.EMBEDDING);
    assertThat(result.text()).startsWith("{\n  \"dim\": 64,\n  \"vector\": [");
    try (Embeddings own = Embeddings.open(TinyModels.encoder().file(), TinyModels.engine())) {
      int[][] texts = {own.tokenizer().encode("a b cd", true, true)};
      assertThat(vector(result)).isEqualTo(own.embed(texts, Pooling.MEAN, true)[0]);
      TaskResult other = embed("a b cd", "{\"pooling\": \"cls\", \"normalize\": false}");
      assertThat(vector(other)).isEqualTo(own.embed(texts, Pooling.CLS, false)[0]);
      assertThat(TaskRunFixture.receipt(other).string("pooling")).isEqualTo("cls");
      assertThat(TaskRunFixture.receipt(other).flag("normalize", true)).isFalse();
    }
    JsonObject receipt = TaskRunFixture.receipt(result);
    assertThat(receipt.values())
        .containsOnlyKeys(
            "model",
            "model_sha256",
            "numerics",
            "prompt_tokens",
            "dimensions",
            "pooling",
            "normalize",
            "timings");
    assertThat(receipt.string("model")).as("the first encoder").isEqualTo("vectors");
    assertThat(receipt.integer("dimensions")).isEqualTo(TinyModels.WIDTH);
  }

  @Test
  void aModelThatGeneratesEmbedsIfItIsNamed() throws Exception {
    TaskResult result = embed(Map.of("input", "once", "model", "tiny"), "{}");
    assertThat(TaskRunFixture.receipt(result).string("pooling")).isEqualTo("last");
    assertThat(inference.stats().loaded()).contains("tiny", "tiny (embeddings)");
  }

  @Test
  void manyAtOnceGiveTheSameVectorsAsAlone() throws Exception {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      texts.add("a b c ".repeat(1 + i % 7) + (char) ('a' + i % 26));
    }
    List<String> alone = new ArrayList<>();
    for (String text : texts) {
      alone.add(embed(text, "{}").text());
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Future<TaskResult>> futures = new ArrayList<>();
      for (String text : texts) {
        futures.add(threads.submit(() -> embed(text, "{}")));
      }
      for (int i = 0; i < texts.size(); i++) {
        assertThat(futures.get(i).get().text()).as(texts.get(i)).isEqualTo(alone.get(i));
      }
    }
  }

  @Test
  void invalidTextsAreRefused() throws Exception {
    FakeTaskContext empty = new FakeTaskContext("embed", "", JsonObject.create());
    assertThat(TaskRunFixture.failure(inference, empty).message()).isEqualTo("Empty prompt");
    FakeTaskContext large = new FakeTaskContext("embed", "a ".repeat(1000), JsonObject.create());
    assertThat(TaskRunFixture.failure(inference, large).message()).contains("takes 1 to 256");
    assertThat(TaskRunFixture.failure(inference, large).retryable()).isFalse();
    FakeTaskContext pooling =
        new FakeTaskContext("embed", "a", Json.object("{\"pooling\": \"max\"}"));
    assertThat(TaskRunFixture.failure(inference, pooling).message())
        .isEqualTo("parameter \"pooling\" is \"max\"; it must be \"mean\", \"cls\" or \"last\"");
  }
}
