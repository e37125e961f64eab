package dev.millrace.cli.network;

import static dev.millrace.cli.network.NodeStateFixtures.coming;
import static dev.millrace.cli.network.NodeStateFixtures.failed;
import static dev.millrace.cli.network.NodeStateFixtures.holding;
import static dev.millrace.cli.network.NodeStateFixtures.loaded;
import static dev.millrace.cli.network.NodeStateFixtures.node;
import static dev.millrace.cli.network.NodeStateFixtures.origin;
import static dev.millrace.cli.network.NodeStateFixtures.pipe;
import static dev.millrace.cli.network.NodeStateFixtures.stretch;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.query.PipePicture;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipeListTextTest {
  private static final NodeState A = holding(node("a", 5100), loaded(1, 4), coming(4, 5));

  private static NodeState desk(PipeState... pipes) {
    return origin(node("desk", 5200), pipes);
  }

  @Test
  void aRunningPipeShowsTheLayersOfEachNode() {
    NodeState desk = desk(pipe("", stretch("desk", 0, 1), stretch("a", 1, 4), stretch("b", 4, 7)));
    String picture =
        PipePicture.of(
            7,
            List.of(new LayerRange(0, 1), new LayerRange(1, 4), new LayerRange(4, 7)),
            List.of(new LayerRange(4, 5)),
            48);
    assertThat(PipeListText.text(List.of(A, desk), false).lines())
        .containsExactly(
            "house, 7 layers, sha256 abababababab, origin desk",
            "  pipe 0  " + picture + "  runs 2 sequences, 41.3 tokens/s",
            "    layers 0 desk, 1-3 a, 4-6 b");
  }

  @Test
  void adjacentLayersOfANodeAreMerged() {
    NodeState desk =
        desk(
            pipe(
                "",
                stretch("desk", 0, 1),
                stretch("a", 1, 3),
                stretch("a", 3, 4),
                stretch("b", 4, 7)));
    assertThat(PipeListText.text(List.of(desk), false))
        .contains("|=|===|===|", "    layers 0 desk, 1-3 a, 4-6 b\n");
    assertThat(PipeListText.json(List.of(desk)))
        .contains("{\"node\":\"a\",\"first\":1,\"last\":3}");
  }

  /** Each origin has its own pipes, even for the same model. */
  @Test
  void originsOfOneModelAreListedSeparately() {
    PipeState pipe = pipe("", stretch("a", 0, 7));
    List<NodeState> states = List.of(desk(pipe), origin(node("sofa", 5300), pipe));
    assertThat(PipeListText.text(states, false).lines().filter(line -> line.startsWith("house, ")))
        .containsExactly(
            "house, 7 layers, sha256 abababababab, origin desk",
            "house, 7 layers, sha256 abababababab, origin sofa");
    assertThat(Json.object(PipeListText.json(states)).list("pipes"))
        .extracting(each -> JsonObject.of(each, "pipe").string("origin"))
        .containsExactly("desk", "sofa");
  }

  @Test
  void aWaitingPipeShowsTheMissingLayers() {
    NodeState desk =
        desk(pipe("layers 5-6 are at no node", stretch("desk", 0, 1), stretch("a", 1, 4)));
    assertThat(PipeListText.text(List.of(A, desk), false))
        .contains(
            "waits: layers 5-6 are at no node\n", "    layers 0 desk, 1-3 a\n    missing 5-6\n");
    JsonObject line =
        JsonObject.of(
            Json.object(PipeListText.json(List.of(A, desk))).list("pipes").getFirst(), "pipe");
    assertThat(line.string("origin")).isEqualTo("desk");
    assertThat(line.string("waiting")).isEqualTo("layers 5-6 are at no node");
    assertThat(PipeListText.json(List.of(A, desk)))
        .contains(
            "\"missing\":[\"5-6\"]", "{\"node\":\"a\",\"first\":1,\"last\":3}", "\"warnings\":[]");
  }

  @Test
  void withoutAnOriginThereIsNoPipe() {
    assertThat(PipeListText.text(List.of(A), false)).startsWith("no origin: ");
    assertThat(PipeListText.json(List.of(A)))
        .isEqualTo("{\"pipes\":[],\"expelled\":[],\"warnings\":[]}\n");
    assertThat(PipeListText.text(List.of(origin(node("desk", 1))), false))
        .endsWith("  no pipe yet\n");
  }

  @Test
  void differentModelsWithTheSameNameGiveAWarning() {
    NodeState other = holding(node("c", 5400), failed("x"));
    NodeState desk = desk(pipe("w"));
    assertThat(PipeListText.text(List.of(A, other, desk), false))
        .endsWith(
            "Warning: models of the same name differ: house is abababababab at a, desk;"
                + " cdcdcdcdcdcd at c; their layers are never in one pipe\n");
    assertThat(PipeListText.json(List.of(A, other, desk)))
        .contains("\"warnings\":[\"models of the same name differ: ");
    assertThat(PipeListText.clashes(List.of(A, desk))).isEmpty();
  }

  @Test
  void expelledNodesAreNamed() {
    NodeState desk = node("desk", 5200);
    NodeState found = origin(desk).withPipes(origin(desk).needs(), List.of(), List.of("mallory"));
    assertThat(PipeListText.text(List.of(found), false))
        .contains("mallory returned wrong results and is excluded");
  }
}
