package dev.millrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.api.WarmUp;
import dev.millrace.engine.error.EngineClosedException;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.config.WeightFormats;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.model.EndModel;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.SegmentWeights;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.wheel.BatchLoop;
import dev.millrace.engine.internal.wheel.Detokenizer;
import dev.millrace.engine.internal.wheel.WheelSettings;
import dev.millrace.engine.numerics.ModelNumerics;
import dev.millrace.engine.numerics.NumericsVersion;
import dev.millrace.engine.numerics.SupportedNumerics;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.engine.token.Tokenizer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The life cycle of an engine: in any order of calls, nothing hangs and nothing reaches freed
 * memory.
 */
@Timeout(60)
class EngineTest {
  @TempDir static Path directory;
  private static Path model;

  @BeforeAll
  static void makeModel() throws IOException {
    model =
        RandomModels.write(
            directory.resolve("m.gguf"), ModelShape.small("llama"), TensorType.Q8_0, 1);
  }

  private static Engine open() {
    return Engine.open(model, EngineSettings.usual().withThreads(2).withContext(128));
  }

  private static GenerationRequest request(int tokens) {
    return GenerationRequest.of(new int[] {1, 2, 3}, Sampling.greedy(), tokens).ignoringEnd();
  }

  @Test
  void aClosedEngineEndsGenerationsAndRejectsNewRequests() throws Exception {
    Engine engine = open();
    List<Generation> running = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      running.add(engine.submit(request(120), (token, text, logprobs) -> {}));
    }
    engine.close();
    for (Generation generation : running) {
      assertThat(generation.await().finish()).isIn(FinishReason.RELEASED, FinishReason.LENGTH);
    }
    assertThatThrownBy(() -> engine.submit(request(1), (token, text, logprobs) -> {}))
        .isInstanceOf(EngineClosedException.class);
    engine.close();
  }

  /** A close between a turn and the wait for the next one must not be missed. */
  @Test
  void closingAtAnyMomentEnds() throws Exception {
    for (int round = 0; round < 60; round++) {
      Engine engine = open();
      Generation generation = engine.submit(request(1 + round % 3), (token, text, logprobs) -> {});
      if (round % 2 == 0) {
        generation.await();
      }
      engine.close();
      assertThat(generation.isDone()).as("round %d", round).isTrue();
    }
  }

  @Test
  void aVersionOfTheArithmeticThatIsNotHereIsRefused() throws Exception {
    NumericsVersion now = NumericsVersion.of(1);
    try (Engine engine = open()) {
      assertThat(engine.numerics().newest()).isEqualTo(now);
      assertThat(engine.numerics().formats()).containsExactly("q8_0");
      GenerationRequest request = request(4);
      GenerationRequest other = request.withNumerics(now.with("q4_0", 2));
      assertThat(engine.submit(other, (token, text, logprobs) -> {}).await().tokens()).hasSize(4);
      assertThatThrownBy(
              () ->
                  engine.submit(
                      request.withNumerics(now.with("q8_0", 2)), (token, text, logprobs) -> {}))
          .isInstanceOf(EngineException.class)
          .hasMessage(
              "request: version 2 of the arithmetic of Q8_0 weights is not in this release, which"
                  + " has 1");
    }
  }

  @Test
  void anEngineOfPartsGivesTheSameTokensAndClosesThemByItsOwnThread() throws Exception {
    EngineSettings settings = EngineSettings.usual().withThreads(2).withContext(128);
    int[] expected;
    try (Engine engine = open()) {
      expected = engine.submit(request(40), (token, text, logprobs) -> {}).await().tokens();
    }
    AtomicReference<Thread> closer = new AtomicReference<>();
    try (Gguf gguf = Gguf.open(model);
        Engine engine = Engine.of(inTwo(gguf, settings, closer))) {
      assertThat(engine.submit(request(40), (token, text, logprobs) -> {}).await().tokens())
          .isEqualTo(expected);
      assertThat(engine.context()).isEqualTo(128);
      assertThat(closer.get()).isNull();
    }
    assertThat(closer.get()).isNotNull();
    assertThat(closer.get().getName()).isEqualTo("millrace-wheel");
  }

  /** The layers as two segments on the same weights. */
  private static Engine.Parts inTwo(
      Gguf gguf, EngineSettings settings, AtomicReference<Thread> closer) {
    ModelConfig config = ModelConfig.ofGenerator(gguf);
    Tokenizer tokenizer = Tokenizer.of(gguf.metadata());
    LoadSettings load = LoadSettings.of(settings, config);
    EndModel end = EndModel.open(gguf, config.layers(), load);
    SegmentWeights weights = end.weights();
    List<Segment> segments = new ArrayList<>();
    for (int layer = 0; layer < config.layers(); layer++) {
      segments.add(weights.open(layer, layer + 1, end.settings()));
    }
    BatchLoop wheels =
        new BatchLoop(
            WheelSettings.of(settings, load.pages(), load.context()),
            List.of(PipeProcessor.local(segments, end.end())),
            tokenizer,
            shown -> Detokenizer.of(tokenizer, shown),
            System::nanoTime,
            null);
    return new Engine.Parts(
        tokenizer,
        new PromptEncoder(gguf.metadata(), tokenizer),
        gguf.metadata(),
        config.info(),
        new ModelNumerics(SupportedNumerics.CURRENT, WeightFormats.of(gguf)),
        end.settings().context(),
        end.weightBytes(),
        end.kvBytesPerToken(),
        wheels,
        () -> {
          closer.set(Thread.currentThread());
          end.close();
        });
  }

  @Test
  void aWarmUpChangesNoOutputAndGivesWay() throws Exception {
    GenerationResult cold;
    try (Engine engine = open()) {
      cold = engine.submit(request(40), (token, text, logprobs) -> {}).await();
    }
    try (Engine engine = open()) {
      assertThat(engine.warmUp(Duration.ofMillis(200)).await(Duration.ofMinutes(1))).isTrue();
      assertThat(engine.stats().turns()).isZero();
      GenerationResult warm = engine.submit(request(40), (token, text, logprobs) -> {}).await();
      assertThat(warm.tokens()).isEqualTo(cold.tokens());
      assertThat(warm.usage().cachedTokens()).isZero();
    }
    try (Engine engine = open()) {
      WarmUp warmUp = engine.warmUp(Duration.ofDays(1));
      GenerationResult first = engine.submit(request(40), (token, text, logprobs) -> {}).await();
      assertThat(first.tokens()).isEqualTo(cold.tokens());
      assertThat(warmUp.await(Duration.ofMinutes(1))).isTrue();
    }
  }

  @Test
  void aListenerMayCloseTheEngine() throws Exception {
    Engine engine = open();
    GenerationResult result =
        engine.submit(request(50), (token, text, logprobs) -> engine.close()).await();
    assertThat(result.finish()).isEqualTo(FinishReason.RELEASED);
    engine.close();
  }

  @Test
  void severalThreadsMayCloseAtOnceAndAnInterruptIsKept() throws Exception {
    Engine engine = open();
    CountDownLatch go = new CountDownLatch(1);
    AtomicReference<Throwable> trouble = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      go.await();
                      Thread.currentThread().interrupt();
                      engine.close();
                      assertThat(Thread.interrupted()).isTrue();
                    } catch (Throwable e) {
                      trouble.set(e);
                    }
                  }));
    }
    go.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(trouble.get()).isNull();
  }

  @Test
  void anEncoderIsForEmbeddings() throws IOException {
    Path encoder =
        RandomModels.write(
            directory.resolve("bert.gguf"), ModelShape.small("bert"), TensorType.F32, 1);
    assertThatThrownBy(() -> Engine.open(encoder, EngineSettings.usual()))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("embeddings");
    Embeddings embeddings = Embeddings.open(encoder, EngineSettings.usual().withThreads(2));
    int[][] texts = {{1, 5, 9, 2}, {1, 7, 2}};
    float[][] together = embeddings.embed(texts, Pooling.MEAN, true);
    assertThat(embeddings.embed(new int[][] {texts[1]}, Pooling.MEAN, true)[0])
        .isEqualTo(together[1]);
    double length = 0;
    for (float number : together[0]) {
      length += (double) number * number;
    }
    assertThat(length).isBetween(0.9999, 1.0001);
    embeddings.close();
    embeddings.close();
    assertThatThrownBy(() -> embeddings.embed(texts, Pooling.MEAN, true))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aModelWithoutValidLogitsFailsWithAMessage() throws Exception {
    Path broken = directory.resolve("nan.gguf");
    RandomModels.write(broken, ModelShape.small("llama"), TensorType.F32, 1);
    CorruptFile.withNaN(broken, "output_norm.weight");
    try (Engine engine = Engine.open(broken, EngineSettings.usual().withContext(64))) {
      GenerationResult result = engine.submit(request(5), (token, text, logprobs) -> {}).await();
      assertThat(result.finish()).isEqualTo(FinishReason.FAILED);
      assertThat(result.reason()).contains("no valid logits");
      assertThat(result.refused()).as("it would end so again").isTrue();
    }
  }
}
