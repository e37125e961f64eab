package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.member.NodeState;
import dev.millrace.cluster.member.PipeState;
import dev.millrace.cluster.place.PipePicture;
import dev.millrace.cluster.place.Range;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipeLinesTest {
  private static final NodeState A =
      Fleet.holding(Fleet.node("a", 5100), Fleet.loaded(1, 4), Fleet.coming(4, 5));

  @Test
  void aPipeThatRunsShowsWhoHasWhat() {
    NodeState desk =
        Fleet.origin(
            Fleet.node("desk", 5200),
            Fleet.pipe(
                "",
                Fleet.stretch("desk", 0, 1),
                Fleet.stretch("a", 1, 4),
                Fleet.stretch("b", 4, 7)));
    String picture =
        PipePicture.of(
            7,
            List.of(new Range(0, 1), new Range(1, 4), new Range(4, 7)),
            List.of(new Range(4, 5)),
            48);
    assertThat(PipeLines.text(List.of(A, desk), false).lines())
        .containsExactly(
            "house, 7 layers, sha256 abababababab, origin desk",
            "  pipe 0  " + picture + "  runs 2 sequences, 41.3 tokens/s",
            "    layers 0 desk, 1-3 a, 4-6 b");
  }

  @Test
  void whatANodeHasInARowIsOneStretch() {
    NodeState desk =
        Fleet.origin(
            Fleet.node("desk", 5200),
            Fleet.pipe(
                "",
                Fleet.stretch("desk", 0, 1),
                Fleet.stretch("a", 1, 3),
                Fleet.stretch("a", 3, 4),
                Fleet.stretch("b", 4, 7)));
    assertThat(PipeLines.text(List.of(desk), false))
        .contains("|=|===|===|", "    layers 0 desk, 1-3 a, 4-6 b\n");
    assertThat(PipeLines.json(List.of(desk))).contains("{\"node\":\"a\",\"first\":1,\"last\":3}");
  }

  /** Each has its own pipes, however the model is called. */
  @Test
  void originsOfOneModelAreToldApart() {
    PipeState pipe = Fleet.pipe("", Fleet.stretch("a", 0, 7));
    List<NodeState> states =
        List.of(
            Fleet.origin(Fleet.node("desk", 5200), pipe),
            Fleet.origin(Fleet.node("sofa", 5300), pipe));
    assertThat(PipeLines.text(states, false).lines().filter(line -> line.startsWith("house, ")))
        .containsExactly(
            "house, 7 layers, sha256 abababababab, origin desk",
            "house, 7 layers, sha256 abababababab, origin sofa");
    assertThat(Json.object(PipeLines.json(states)).list("pipes"))
        .extracting(each -> JsonObject.of(each, "pipe").string("origin"))
        .containsExactly("desk", "sofa");
  }

  @Test
  void aPipeThatWaitsShowsWhatIsMissing() {
    NodeState desk =
        Fleet.origin(
            Fleet.node("desk", 5200),
            Fleet.pipe(
                "layers 5-6 are at no node",
                Fleet.stretch("desk", 0, 1),
                Fleet.stretch("a", 1, 4)));
    assertThat(PipeLines.text(List.of(A, desk), false))
        .contains(
            "waits: layers 5-6 are at no node\n", "    layers 0 desk, 1-3 a\n    missing 5-6\n");
    JsonObject line =
        JsonObject.of(
            Json.object(PipeLines.json(List.of(A, desk))).list("pipes").getFirst(), "pipe");
    assertThat(line.string("origin")).isEqualTo("desk");
    assertThat(line.string("waiting")).isEqualTo("layers 5-6 are at no node");
    assertThat(PipeLines.json(List.of(A, desk)))
        .contains(
            "\"missing\":[\"5-6\"]", "{\"node\":\"a\",\"first\":1,\"last\":3}", "\"warnings\":[]");
  }

  @Test
  void whereNobodyServesThereIsNoPipe() {
    assertThat(PipeLines.text(List.of(A), false)).startsWith("no origin: ");
    assertThat(PipeLines.json(List.of(A)))
        .isEqualTo("{\"pipes\":[],\"expelled\":[],\"warnings\":[]}\n");
    assertThat(PipeLines.text(List.of(Fleet.origin(Fleet.node("desk", 1))), false))
        .endsWith("  no pipe yet\n");
  }

  @Test
  void modelsOfOneNameThatAreNotOneAreTold() {
    NodeState stranger = Fleet.holding(Fleet.node("c", 5400), Fleet.failed("x"));
    NodeState desk = Fleet.origin(Fleet.node("desk", 5200), Fleet.pipe("w"));
    assertThat(PipeLines.text(List.of(A, stranger, desk), false))
        .endsWith(
            "Warning: models of the same name differ: house is abababababab at a, desk;"
                + " cdcdcdcdcdcd at c; their layers never meet in a pipe\n");
    assertThat(PipeLines.json(List.of(A, stranger, desk)))
        .contains("\"warnings\":[\"models of the same name differ: ");
    assertThat(PipeLines.clashes(List.of(A, desk))).isEmpty();
  }

  @Test
  void liarsAreNamed() {
    NodeState desk = Fleet.node("desk", 5200);
    NodeState found =
        Fleet.origin(desk).withPipes(Fleet.origin(desk).needs(), List.of(), List.of("mallory"));
    assertThat(PipeLines.text(List.of(found), false))
        .contains("mallory was found lying and is left out");
  }
}
