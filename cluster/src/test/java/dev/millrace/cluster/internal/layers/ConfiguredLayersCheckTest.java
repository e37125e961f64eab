package dev.millrace.cluster.internal.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ConfiguredLayers;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.NetworkSettings;
import dev.millrace.cluster.NodeMemory;
import dev.millrace.cluster.NodeSettings;
import dev.millrace.cluster.node.LayerNode;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfiguredLayersCheckTest {
  @TempDir Path directory;

  private Path model(String name, String architecture) throws IOException {
    ModelShape small = ModelShape.small(architecture);
    ModelShape shape =
        new ModelShape(
            architecture, 3, 64, 4, small.kvHeads(), 16, 64, 320, 256, false, false, Map.of());
    return RandomModels.write(directory.resolve(name), shape, TensorType.Q8_0, 1);
  }

  private NodeSettings settings(long memory, Path file, @Nullable LayerRange range)
      throws NoSuchAlgorithmException {
    NetworkSettings network =
        NetworkSettings.of("a", new HostPort("127.0.0.1", 0), SSLContext.getDefault());
    List<ConfiguredLayers> layers = List.of(new ConfiguredLayers(file, range));
    return new NodeSettings(
        network,
        layers,
        NodeMemory.forConfiguredLayers(memory),
        1,
        KernelType.SCALAR,
        16,
        List.of(),
        directory.resolve("cache"));
  }

  @Test
  void rangeAndSizeAreThoseOfTheFile() throws Exception {
    Path file = model("tiny.gguf", "llama");
    LayerEntry all = ConfiguredLayersCheck.of(settings(1 << 20, file, null)).getFirst();
    LayerEntry one =
        ConfiguredLayersCheck.of(settings(1 << 20, file, new LayerRange(1, 2))).getFirst();
    assertThat(all.range).isEqualTo(new LayerRange(0, 3));
    assertThat(all.model).isEqualTo("tiny");
    assertThat(all.bytes).isEqualTo(3 * one.bytes).isPositive();
    assertThat(ConfiguredLayersCheck.name(Path.of("x/big-00002-of-00005.GGUF"))).isEqualTo("big");
  }

  @Test
  void layersThatTheFileHasNotAreRefused() throws Exception {
    Path file = model("tiny.gguf", "llama");
    NodeSettings settings = settings(1 << 20, file, new LayerRange(2, 5));
    assertThatThrownBy(() -> LayerNode.start(settings))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("has layers 0-2; layers 2-4 are asked for");
  }

  @Test
  void moreThanTheMemoryIsRefusedBeforeAnythingIsLoaded() throws Exception {
    Path file = model("tiny.gguf", "llama");
    NodeSettings settings = settings(5000, file, null);
    assertThatThrownBy(() -> LayerNode.start(settings))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("layers 0-2 of " + file + " need ")
        .hasMessageContaining("of the 4.9 KiB that this node may use")
        .hasMessageContaining("pass fewer layers or a larger --memory");
  }

  @Test
  void filesThatAreNoModelsAreRefusedByName() throws Exception {
    Path text = Files.writeString(directory.resolve("text.gguf"), "not a model");
    Path encoder = model("encoder.gguf", "bert");
    for (Path file : List.of(text, encoder, directory.resolve("none.gguf"))) {
      NodeSettings settings = settings(1 << 20, file, null);
      assertThatThrownBy(() -> LayerNode.start(settings))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining(file.toString());
    }
  }

  @Test
  void nodeThatWouldHoldNothingIsRefused() throws Exception {
    NodeSettings one = settings(1 << 20, directory, null);
    assertThatThrownBy(
            () ->
                new NodeSettings(
                    one.network(),
                    List.of(),
                    one.memory(),
                    1,
                    KernelType.SCALAR,
                    16,
                    List.of(),
                    directory))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("this node would hold nothing");
  }
}
