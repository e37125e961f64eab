package dev.millrace.cli.network;

import static dev.millrace.cli.network.NodeStateFixtures.coming;
import static dev.millrace.cli.network.NodeStateFixtures.failed;
import static dev.millrace.cli.network.NodeStateFixtures.holding;
import static dev.millrace.cli.network.NodeStateFixtures.loaded;
import static dev.millrace.cli.network.NodeStateFixtures.node;
import static dev.millrace.cli.network.NodeStateFixtures.origin;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.NodeState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeListTextTest {
  private static final String MEMORY = "256 MiB of 1.0 GiB";

  private static String row(Object... cells) {
    return "%-4s  %-14s  %-11s  %-8s  %9s  %18s  %8s  %8s".formatted(cells);
  }

  @Test
  void aNodeHasALineForEachRangeThatItHolds() {
    List<NodeState> states =
        List.of(
            holding(node("a", 5100), loaded(1, 4), coming(4, 5)),
            origin(node("desk", 5200)),
            node("new", 5300));
    assertThat(NodeListText.table(states, false).lines())
        .containsExactly(
            row("NAME", "ADDRESS", "HOLDS", "STATE", "SPEED", "MEMORY", "SESSIONS", "PASSAGES"),
            row("a", "127.0.0.1:5100", "house:1-3", "loaded", "1.5 GiB/s", MEMORY, "1", "3"),
            row("", "", "house:4", "fetching", "-", "", "", ""),
            row("desk", "127.0.0.1:5200", "house:end+0", "origin", "-", "0 B", "0", "0"),
            row("new", "127.0.0.1:5300", "-", "empty", "-", "0 B", "0", "0"));
  }

  @Test
  void layersThatCouldNotBeLoadedHaveAReason() {
    List<NodeState> states = List.of(holding(node("a", 5100), failed("no\nspace\033[2J")));
    assertThat(NodeListText.table(states, false).lines())
        .containsExactly(
            "NAME  ADDRESS         HOLDS      STATE   SPEED              MEMORY  SESSIONS "
                + " PASSAGES",
            "a     127.0.0.1:5100  house:0-6  failed      -  256 MiB of 1.0 GiB         1        "
                + " 3",
            "a, house:0-6: no space [2J");
    assertThat(NodeListText.table(states, true)).contains("\033[31mfailed\033[0m ");
  }

  @Test
  void jsonIsOneObject() {
    String line =
        NodeListText.json(
            List.of(holding(node("a", 5100), loaded(1, 4)), origin(node("desk", 5200))));
    assertThat(line.lines()).hasSize(1);
    List<?> nodes = Json.object(line).list("nodes");
    assertThat(nodes).hasSize(2);
    JsonObject first = JsonObject.of(nodes.getFirst(), "node");
    assertThat(first.string("name")).isEqualTo("a");
    assertThat(first.string("address")).isEqualTo("127.0.0.1:5100");
    assertThat(first.toString())
        .contains(
            "\"memory_bytes\":1073741824",
            "\"numerics\":2,\"weight_numerics\":\"q8_0=1+2\"",
            "\"first\":1,\"last\":3,\"layers\":7,\"state\":\"loaded\"",
            "\"origin_of\":[]")
        .doesNotContain("problem");
    assertThat(JsonObject.of(nodes.getLast(), "node").toString())
        .contains("\"local_layers\":1", "\"holdings\":[]");
  }
}
