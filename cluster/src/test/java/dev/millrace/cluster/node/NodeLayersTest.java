package dev.millrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.HeldLayers.State;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.internal.layers.AsyncLayerLoader;
import dev.millrace.cluster.internal.layers.FakeLoadedLayers;
import dev.millrace.cluster.internal.layers.LayerEntry;
import dev.millrace.cluster.internal.layers.LayerInventory;
import dev.millrace.cluster.internal.layers.LayerLookup;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.LoadLayersRequest;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.SessionParameters.BatchShape;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class NodeLayersTest {
  private static final String OTHER = "cd".repeat(32);

  private final InMemoryNodes nodes = new InMemoryNodes();
  private final InMemoryNodes.MessageRecorder origin = nodes.recorder("o");
  private final InMemoryNodes.Node node = nodes.node("a", 1000, 4);

  private LayerEntry last() {
    return node.supply.order.getLast();
  }

  private LayerEntry wanted(String sha256, int from, int to) {
    nodes.load("o", "a", sha256, from, to);
    return last();
  }

  private FakeLoadedLayers loaded(String sha256, int from, int to) {
    FakeLoadedLayers weights = node.supply.load(wanted(sha256, from, to));
    nodes.work();
    return weights;
  }

  @Test
  void layersGoFromFetchingToLoaded() {
    LayerEntry held = wanted(InMemoryNodes.SHA, 1, 3);
    assertThat(node.stock.describe())
        .containsExactly(
            new HeldLayers(InMemoryNodes.SHA, "fake", 0, 1, 3, State.FETCHING, false, 200, 0, ""));
    assertThat(node.budget.used()).isEqualTo(200);
    node.supply.report(held).loading();
    nodes.work();
    assertThat(node.stock.describe().getFirst().state()).isEqualTo(State.LOADING);
    node.supply.load(held);
    nodes.work();
    HeldLayers heldLayers = node.stock.describe().getFirst();
    assertThat(heldLayers.state()).isEqualTo(State.LOADED);
    assertThat(heldLayers.layers()).as("by the file").isEqualTo(4);
    assertThat(heldLayers.speed()).as("200 bytes in a millisecond").isEqualTo(200_000);
    assertThat(node.budget.used()).isEqualTo(200);
  }

  @Test
  void layersThatAreHereOrComingAreNotGotTwice() {
    LayerEntry held = wanted(InMemoryNodes.SHA, 0, 4);
    nodes.load("o", "a", InMemoryNodes.SHA, 1, 3);
    node.supply.load(held);
    nodes.work();
    nodes.load("o", "a", InMemoryNodes.SHA, 1, 3);
    assertThat(node.supply.order).hasSize(1);
    assertThat(origin.messages).as("no refusal").isEmpty();
  }

  @Test
  void theProgressOfAFetchIsPublishedUntilItEnds() {
    InMemoryNodes.Node getting = nodes.node("g", 350, 4);
    nodes.load("o", "g", InMemoryNodes.SHA, 0, 2);
    AsyncLayerLoader.Listener report = getting.supply.report(getting.supply.order.getLast());
    report.fetching("41 % of 29 MiB are here");
    nodes.work();
    assertThat(getting.stock.describe().getFirst())
        .extracting(HeldLayers::state, HeldLayers::problem)
        .containsExactly(HeldLayers.State.FETCHING, "41 % of 29 MiB are here");
    report.loading();
    nodes.work();
    assertThat(getting.stock.describe().getFirst())
        .extracting(HeldLayers::state, HeldLayers::problem)
        .containsExactly(HeldLayers.State.LOADING, "");
  }

  @Test
  void moreThanTheMemoryIsRefusedWithTheFigures() {
    InMemoryNodes.Node small = nodes.node("s", 350, 4);
    nodes.load("o", "s", InMemoryNodes.SHA, 0, 3);
    nodes.load("o", "s", InMemoryNodes.SHA, 3, 4);
    assertThat(origin.refusal())
        .isEqualTo(
            "layer 3 of model fake needs 100 bytes, but only 50 bytes of the 350 bytes that this"
                + " node may use are free; start it with a larger --memory");
    assertThat(small.budget.used()).isEqualTo(300);
  }

  @Test
  void nodeWithoutMemoryForOthersSaysSo() {
    nodes.node("n");
    nodes.load("o", "n", InMemoryNodes.SHA, 0, 3);
    assertThat(origin.refusal()).contains("accepts no requests for layers");
  }

  @Test
  void idleLayersGoForOthersTheLongestIdleFirst() {
    InMemoryNodes.Node small = nodes.node("s", 350, 4);
    FakeLoadedLayers first = small.holds(0, 1);
    FakeLoadedLayers second = small.holds(1, 2);
    FakeLoadedLayers third = small.holds(2, 3);
    nodes.load("o", "s", InMemoryNodes.SHA, 3, 4);
    assertThat(first.closed).isTrue();
    assertThat(second.closed || third.closed).isFalse();
    assertThat(small.budget.used()).isEqualTo(300);
    assertThat(origin.messages).isEmpty();
  }

  @Test
  void nothingGoesWhereThatWouldNotDo() {
    FakeLoadedLayers here = loaded(InMemoryNodes.SHA, 0, 1);
    LoadLayersRequest large = new LoadLayersRequest(InMemoryNodes.SHA, "fake", 1, 4, 1, 1001);
    assertThatThrownBy(() -> node.stock.request(large)).hasMessageContaining("need 1001 bytes");
    assertThat(here.closed).isFalse();
  }

  @Test
  void layersInUseStay() {
    InMemoryNodes.Node small = nodes.node("s", 500, 4);
    FakeLoadedLayers used = small.holds(0, 4);
    SteppedOrigin user = new SteppedOrigin(nodes, "u", 9, "usss");
    nodes.open("u", "s", 9, opening(user, 3));
    user.recorder.next(Kind.OPENED);
    assertThat(small.stock.describe().getFirst().idle()).isFalse();
    nodes.load("o", "s", OTHER, 0, 1);
    assertThat(origin.refusal()).contains("its hash begins with cdcdcdcdcdcd, here with abababab");
    small.now += LayerInventory.UNUSED_NANOS;
    small.stock.dropUnused();
    assertThat(used.closed).isFalse();
    user.close("s");
    assertThat(small.stock.describe().getFirst().idle()).isTrue();
    small.stock.dropUnused();
    assertThat(used.closed).as("used until now").isFalse();
    small.now += LayerInventory.UNUSED_NANOS;
    small.stock.dropUnused();
    assertThat(used.closed).isTrue();
    assertThat(small.budget.used()).isZero();
    assertThat(small.stock.describe()).isEmpty();
  }

  private static OpenSessionRequest opening(SteppedOrigin origin, int pages) {
    return InMemoryNodes.opening(origin.plan, pages, new BatchShape(64, 8, 2));
  }

  @Test
  void idleLayersOfAnotherFileOfThatNameMakeWay() {
    FakeLoadedLayers old = loaded(OTHER, 0, 4);
    FakeLoadedLayers fresh = loaded(InMemoryNodes.SHA, 0, 4);
    assertThat(old.closed).isTrue();
    assertThat(fresh.closed).isFalse();
    assertThat(node.stock.describe()).hasSize(1);
  }

  @Test
  void configuredLayersStayAndAnotherFileOfThatNameIsReported() {
    LayerEntry named =
        LayerEntry.configured("fake", 4, new LayerRange(0, 2), Path.of("fake.gguf"), 200);
    node.stock.load(named);
    assertThatThrownBy(() -> node.stock.cover(InMemoryNodes.SHA, "fake", 0, 2))
        .hasMessage("layers 0-1 are still loading");
    FakeLoadedLayers weights = node.supply.load(named, OTHER);
    nodes.work();
    assertThat(node.stock.describe().getFirst().idle()).as("it stays").isFalse();
    node.now += 2 * LayerInventory.UNUSED_NANOS;
    node.stock.dropUnused();
    assertThat(weights.closed).isFalse();
    String both =
        "model fake is another file at the origin: its hash begins with abababababab, here with"
            + " cdcdcdcdcdcd; use the same file on both";
    assertThatThrownBy(() -> node.stock.cover(InMemoryNodes.SHA, "fake", 0, 2)).hasMessage(both);
    nodes.load("o", "a", InMemoryNodes.SHA, 0, 2);
    assertThat(origin.refusal()).isEqualTo(both);
  }

  @Test
  void aFailureIsPublishedAndTriedAgainAfterAPause() {
    LayerEntry held = wanted(InMemoryNodes.SHA, 0, 2);
    node.supply.report(held).failed("the disk is full");
    nodes.work();
    assertThat(node.stock.describe().getFirst())
        .extracting(HeldLayers::state, HeldLayers::problem, HeldLayers::bytes)
        .containsExactly(State.FAILED, "the disk is full", 0L);
    assertThat(node.budget.used()).isZero();
    assertThatThrownBy(() -> node.stock.cover(InMemoryNodes.SHA, "fake", 0, 2))
        .hasMessage("layers 0-1 could not be loaded: the disk is full");
    nodes.load("o", "a", InMemoryNodes.SHA, 0, 2);
    assertThat(node.supply.order).hasSize(1);
    node.now += LayerInventory.RETRY_NANOS;
    nodes.load("o", "a", InMemoryNodes.SHA, 0, 2);
    assertThat(node.supply.order).hasSize(2);
    assertThat(node.stock.describe()).hasSize(1);
  }

  @Test
  void listOfPartsIsBounded() {
    for (int i = 0; i < LayerInventory.MAX_ENTRIES; i++) {
      node.stock.request(new LoadLayersRequest("%064x".formatted(i), "model" + i, 0, 1, 1, 0));
    }
    LoadLayersRequest more = new LoadLayersRequest(InMemoryNodes.SHA, "fake", 0, 1, 1, 0);
    assertThatThrownBy(() -> node.stock.request(more))
        .hasMessage("this node holds parts of 64 models, which is the limit");
    node.supply.report(node.supply.order.get(7)).failed("no such file");
    nodes.work();
    node.stock.request(more);
    assertThat(node.stock.describe())
        .hasSize(LayerInventory.MAX_ENTRIES)
        .noneMatch(holding -> holding.model().equals("model7"));
  }

  @Test
  void stretchIsMadeUpOfSeveralHoldings() {
    loaded(InMemoryNodes.SHA, 0, 2);
    loaded(InMemoryNodes.SHA, 1, 3);
    loaded(InMemoryNodes.SHA, 3, 4);
    assertThat(node.stock.cover(InMemoryNodes.SHA, "fake", 0, 4))
        .extracting(LayerLookup.Piece::from, LayerLookup.Piece::to)
        .containsExactly(tuple(0, 2), tuple(2, 3), tuple(3, 4));
    assertThatThrownBy(() -> node.stock.cover(OTHER, "other", 1, 3))
        .isInstanceOf(ClusterException.class)
        .hasMessage("layers 1-2 of model other (hash cdcdcdcdcdcd) are not on this node");
  }

  @Test
  void layersThatComeAfterTheEndAreFreed() {
    LayerEntry held = wanted(InMemoryNodes.SHA, 0, 2);
    node.stock.close();
    FakeLoadedLayers weights = node.supply.load(held);
    nodes.work();
    assertThat(weights.closed).isTrue();
    LayerEntry late = LayerEntry.requested(InMemoryNodes.SHA, "fake", new LayerRange(2, 3), 1, 100);
    InMemoryNodes.Node other = nodes.node("b", 1000, 1);
    other.stock.load(late);
    other.inbox.close();
    assertThat(other.supply.load(late).closed).isTrue();
  }
}
