package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.TestData;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.LocalModel;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import dev.millrace.engine.token.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The scheduler with a real model of 260,000 weights. */
class WheelRealModelTest {
  private static final WheelSettings ROOMY = WheelSettings.of(64, 256);

  @Test
  void greedyTextIsThatOfTheReferenceImplementation() throws IOException {
    String expected = Files.readString(TestData.find("models/stories260K-greedy-200.txt"));
    List<GenerationResult> results =
        run(ROOMY, List.of(GenerationRequest.of(new int[] {1}, Sampling.greedy(), 200)));
    assertThat(results.getFirst().text().strip()).isEqualTo(expected.strip());
  }

  @Test
  void neighboursChunksPagesAndPrefixesChangeNothing() {
    List<GenerationRequest> requests = requests();
    List<int[]> alone = new ArrayList<>();
    for (GenerationRequest request : requests) {
      alone.addAll(tokens(run(ROOMY.withPrefixReuse(false), List.of(request))));
    }
    List<WheelSettings> ways =
        List.of(
            ROOMY,
            ROOMY.withPrefixReuse(false),
            ROOMY.withSequences(3),
            ROOMY.withRows(16, 7),
            ROOMY.withRows(33, 33).withPages(9),
            ROOMY.withPages(8).withPrefixReuse(false));
    for (WheelSettings settings : ways) {
      List<int[]> together = tokens(run(settings, requests));
      for (int i = 0; i < alone.size(); i++) {
        assertThat(together.get(i)).as("request %d with %s", i, settings).isEqualTo(alone.get(i));
      }
    }
  }

  private static List<GenerationRequest> requests() {
    Tokenizer tokenizer = tokenizer();
    String begin =
        "Once upon a time, there was a little girl named Lily. She loved to play outside in the"
            + " park. ";
    String[] ends = {
      "One day",
      "Her mom",
      "",
      "She saw a big dog. The dog said",
      "Lily",
      "One day",
      "It was",
      "Tom"
    };
    List<GenerationRequest> requests = new ArrayList<>();
    for (int i = 0; i < ends.length; i++) {
      int[] prompt = tokenizer.encode(i == 7 ? ends[i] : begin + ends[i], true, false);
      Sampling sampling = i % 2 == 0 ? Sampling.greedy() : WheelHarness.warm(i);
      requests.add(GenerationRequest.of(prompt, sampling, 40 + 10 * i));
    }
    return requests;
  }

  private static List<int[]> tokens(List<GenerationResult> results) {
    return results.stream().map(GenerationResult::tokens).toList();
  }

  private static Tokenizer tokenizer() {
    try (LocalModel model = model(ROOMY)) {
      return Tokenizer.of(model.metadata());
    }
  }

  private static LocalModel model(WheelSettings settings) {
    Path file = TestData.find("models/stories260K-f32.gguf");
    LoadSettings usual = LoadSettings.usual().withThreads(1).withContext(settings.context());
    return LocalModel.open(
        file,
        usual.withPages(settings.pages()).withBatches(settings.maxRows(), settings.maxSequences()));
  }

  private static List<GenerationResult> run(
      WheelSettings settings, List<GenerationRequest> requests) {
    try (LocalModel model = model(settings)) {
      Tokenizer tokenizer = Tokenizer.of(model.metadata());
      PipeProcessor processor = PipeProcessor.local(List.of(model.segment()), model.end());
      BatchLoop wheel =
          new BatchLoop(
              settings,
              List.of(processor),
              tokenizer,
              shown -> Detokenizer.of(tokenizer, shown),
              System::nanoTime,
              null);
      List<Generation> generations = new ArrayList<>();
      requests.forEach(request -> generations.add(wheel.submit(request, new RecordingListener())));
      while (wheel.turn()) {
        wheel.check();
      }
      if (settings.pages() < 10) {
        assertThat(wheel.stats().preemptions()).as("with %s", settings).isPositive();
      }
      return generations.stream().map(generation -> generation.result().orElseThrow()).toList();
    }
  }
}
