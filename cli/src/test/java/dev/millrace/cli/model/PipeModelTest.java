package dev.millrace.cli.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.cluster.NetworkSettings;
import dev.millrace.cluster.OriginSettings;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.SegmentWeights;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PipeModelTest {
  private static final EngineSettings ENGINE =
      EngineSettings.usual().withThreads(1).withSlots(2).withContext(64);

  @TempDir Path dir;
  private Path file;

  @BeforeEach
  void write() throws Exception {
    file = RandomModelFiles.random(dir.resolve("m.gguf"), 1);
  }

  private PipeModel model(int localLayers, List<HostPort> join) {
    NetworkSettings network =
        NetworkSettings.of("desk", new HostPort("127.0.0.1", 0), NetworkKey.generate().tls())
            .withJoin(join);
    return new PipeModel(
        "m", OriginSettings.of(network, file, ENGINE).withLocalLayers(localLayers).withMaxPipes(3));
  }

  @Test
  void memoryCountsTheEndTheLocalLayersAndACacheForEachPipe() {
    try (Gguf gguf = Gguf.open(file)) {
      ModelConfig config = ModelConfig.of(gguf);
      long end = model(0, List.of()).bytes(file, ENGINE);
      long cache = SegmentWeights.cacheBytes(config, 1, LoadSettings.of(ENGINE, config));
      assertThat(model(1, List.of()).bytes(file, ENGINE))
          .isEqualTo(end + SegmentWeights.fileBytes(gguf, 0, 1) + 3 * cache);
      assertThat(end).isLessThan(gguf.tensors().stream().mapToLong(t -> t.bytes()).sum());
      assertThat(cache).isPositive();
    }
  }

  @Test
  void aClosedModelIsNotReadyAndCanBeOpenedAgain() throws Exception {
    PipeModel model = model(0, List.of());
    assertThat(model.waitReason()).isEqualTo("it has not joined its network");
    for (int life = 0; life < 2; life++) {
      model.open(ENGINE).close();
      assertThat(model.sha256()).isEqualTo(ModelHash.of(file));
      assertThat(model.metrics()).containsKeys("nodes", "opened_total", "lies_total");
      model.close();
      assertThat(model.ready()).isFalse();
      assertThat(model.waitReason()).isEqualTo("it has left its network");
      assertThat(model.metrics()).isEmpty();
    }
  }

  @Test
  void theReasonOfAFailedOpeningIsTheWaitReason() throws Exception {
    PipeModel model = model(1, List.of());
    Files.delete(file);
    assertThatThrownBy(() -> model.open(ENGINE)).isInstanceOf(EngineException.class);
    assertThat(model.waitReason()).contains("m.gguf");
  }
}
