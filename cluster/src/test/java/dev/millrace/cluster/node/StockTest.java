package dev.millrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Assignment;
import dev.millrace.cluster.member.Holding;
import dev.millrace.cluster.member.Holding.State;
import dev.millrace.cluster.member.Opening;
import dev.millrace.cluster.place.Range;
import dev.millrace.cluster.wire.Message.Kind;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class StockTest {
  private static final String OTHER = "cd".repeat(32);

  private final Town town = new Town();
  private final Town.Ear origin = town.ear("o");
  private final Town.Node node = town.node("a", 1000, 4);

  private Held last() {
    return node.supply.order.getLast();
  }

  private Held wanted(String sha256, int from, int to) {
    town.load("o", "a", sha256, from, to);
    return last();
  }

  private FakeWeights loaded(String sha256, int from, int to) {
    FakeWeights weights = node.supply.load(wanted(sha256, from, to));
    town.work();
    return weights;
  }

  @Test
  void layersGoFromFetchingToLoaded() {
    Held held = wanted(Town.SHA, 1, 3);
    assertThat(node.stock.told())
        .containsExactly(new Holding(Town.SHA, "fake", 0, 1, 3, State.FETCHING, false, 200, 0, ""));
    assertThat(node.budget.used()).isEqualTo(200);
    node.supply.report(held).loading();
    town.work();
    assertThat(node.stock.told().getFirst().state()).isEqualTo(State.LOADING);
    node.supply.load(held);
    town.work();
    Holding told = node.stock.told().getFirst();
    assertThat(told.state()).isEqualTo(State.LOADED);
    assertThat(told.layers()).as("by the file").isEqualTo(4);
    assertThat(told.speed()).as("200 bytes in a millisecond").isEqualTo(200_000);
    assertThat(node.budget.used()).isEqualTo(200);
  }

  @Test
  void layersThatAreHereOrComingAreNotGotTwice() {
    Held held = wanted(Town.SHA, 0, 4);
    town.load("o", "a", Town.SHA, 1, 3);
    node.supply.load(held);
    town.work();
    town.load("o", "a", Town.SHA, 1, 3);
    assertThat(node.supply.order).hasSize(1);
    assertThat(origin.heard).as("no refusal").isEmpty();
  }

  @Test
  void howFarAFileIsFetchedIsToldUntilItIsHere() {
    Town.Node getting = town.node("g", 350, 4);
    town.load("o", "g", Town.SHA, 0, 2);
    Supply.Report report = getting.supply.report(getting.supply.order.getLast());
    report.fetching("41 % of 29 MiB are here");
    town.work();
    assertThat(getting.stock.told().getFirst())
        .extracting(Holding::state, Holding::problem)
        .containsExactly(Holding.State.FETCHING, "41 % of 29 MiB are here");
    report.loading();
    town.work();
    assertThat(getting.stock.told().getFirst())
        .extracting(Holding::state, Holding::problem)
        .containsExactly(Holding.State.LOADING, "");
  }

  @Test
  void moreThanTheMemoryIsRefusedWithTheFigures() {
    Town.Node small = town.node("s", 350, 4);
    town.load("o", "s", Town.SHA, 0, 3);
    town.load("o", "s", Town.SHA, 3, 4);
    assertThat(origin.refusal())
        .isEqualTo(
            "layer 3 of model fake needs 100 bytes, but only 50 bytes of the 350 bytes that this"
                + " node may use are free; start it with a larger --memory");
    assertThat(small.budget.used()).isEqualTo(300);
  }

  @Test
  void nodeWithoutMemoryForOthersSaysSo() {
    town.node("n");
    town.load("o", "n", Town.SHA, 0, 3);
    assertThat(origin.refusal()).contains("takes no layers but those that it was started with");
  }

  @Test
  void idleLayersGoForOthersTheLongestIdleFirst() {
    Town.Node small = town.node("s", 350, 4);
    FakeWeights first = small.holds(0, 1);
    FakeWeights second = small.holds(1, 2);
    FakeWeights third = small.holds(2, 3);
    town.load("o", "s", Town.SHA, 3, 4);
    assertThat(first.closed).isTrue();
    assertThat(second.closed || third.closed).isFalse();
    assertThat(small.budget.used()).isEqualTo(300);
    assertThat(origin.heard).isEmpty();
  }

  @Test
  void nothingGoesWhereThatWouldNotDo() {
    FakeWeights here = loaded(Town.SHA, 0, 1);
    Assignment large = new Assignment(Town.SHA, "fake", 1, 4, 1, 1001);
    assertThatThrownBy(() -> node.stock.want(large)).hasMessageContaining("need 1001 bytes");
    assertThat(here.closed).isFalse();
  }

  @Test
  void layersInUseStay() {
    Town.Node small = town.node("s", 500, 4);
    FakeWeights used = small.holds(0, 4);
    HandOrigin user = new HandOrigin(town, "u", 9, "usss");
    town.open("u", "s", 9, opening(user, 3));
    user.ear.next(Kind.OPENED);
    assertThat(small.stock.told().getFirst().idle()).isFalse();
    town.load("o", "s", OTHER, 0, 1);
    assertThat(origin.refusal()).contains("its hash begins with cdcdcdcdcdcd, here with abababab");
    small.now += Stock.KEPT;
    small.stock.expire();
    assertThat(used.closed).isFalse();
    user.close("s");
    assertThat(small.stock.told().getFirst().idle()).isTrue();
    small.stock.expire();
    assertThat(used.closed).as("used until now").isFalse();
    small.now += Stock.KEPT;
    small.stock.expire();
    assertThat(used.closed).isTrue();
    assertThat(small.budget.used()).isZero();
    assertThat(small.stock.told()).isEmpty();
  }

  private static Opening opening(HandOrigin origin, int pages) {
    Opening usual = origin.opening();
    return new Opening(
        usual.sha256(),
        usual.model(),
        usual.numerics(),
        usual.pipe(),
        usual.kvType(),
        usual.context(),
        pages,
        usual.maxRows(),
        usual.maxRuns(),
        usual.inFlight());
  }

  @Test
  void idleLayersOfAnotherFileOfThatNameMakeWay() {
    FakeWeights old = loaded(OTHER, 0, 4);
    FakeWeights fresh = loaded(Town.SHA, 0, 4);
    assertThat(old.closed).isTrue();
    assertThat(fresh.closed).isFalse();
    assertThat(node.stock.told()).hasSize(1);
  }

  @Test
  void whatTheOwnerNamedStaysAndConflictsAreNamed() {
    Held named = Held.explicit("fake", 4, new Range(0, 2), Path.of("fake.gguf"), 200);
    node.stock.hold(named);
    assertThatThrownBy(() -> node.stock.cover(Town.SHA, "fake", 0, 2))
        .hasMessage("layers 0-1 are still loading");
    FakeWeights weights = node.supply.load(named, OTHER);
    town.work();
    assertThat(node.stock.told().getFirst().idle()).as("it stays").isFalse();
    node.now += 2 * Stock.KEPT;
    node.stock.expire();
    assertThat(weights.closed).isFalse();
    String both =
        "model fake is another file at the origin: its hash begins with abababababab, here with"
            + " cdcdcdcdcdcd; give both the same file";
    assertThatThrownBy(() -> node.stock.cover(Town.SHA, "fake", 0, 2)).hasMessage(both);
    town.load("o", "a", Town.SHA, 0, 2);
    assertThat(origin.refusal()).isEqualTo(both);
  }

  @Test
  void failureIsToldAndTriedAgainAfterARest() {
    Held held = wanted(Town.SHA, 0, 2);
    node.supply.report(held).failed("the disk is full");
    town.work();
    assertThat(node.stock.told().getFirst())
        .extracting(Holding::state, Holding::problem, Holding::bytes)
        .containsExactly(State.FAILED, "the disk is full", 0L);
    assertThat(node.budget.used()).isZero();
    assertThatThrownBy(() -> node.stock.cover(Town.SHA, "fake", 0, 2))
        .hasMessage("layers 0-1 could not be loaded: the disk is full");
    town.load("o", "a", Town.SHA, 0, 2);
    assertThat(node.supply.order).hasSize(1);
    node.now += Stock.RESTS;
    town.load("o", "a", Town.SHA, 0, 2);
    assertThat(node.supply.order).hasSize(2);
    assertThat(node.stock.told()).hasSize(1);
  }

  @Test
  void listOfPartsIsBounded() {
    for (int i = 0; i < Stock.MOST_PARTS; i++) {
      node.stock.want(new Assignment("%064x".formatted(i), "model" + i, 0, 1, 1, 0));
    }
    Assignment more = new Assignment(Town.SHA, "fake", 0, 1, 1, 0);
    assertThatThrownBy(() -> node.stock.want(more))
        .hasMessage("this node has 64 parts of models, and takes no more");
    node.supply.report(node.supply.order.get(7)).failed("no such file");
    town.work();
    node.stock.want(more);
    assertThat(node.stock.told())
        .hasSize(Stock.MOST_PARTS)
        .noneMatch(holding -> holding.model().equals("model7"));
  }

  @Test
  void stretchIsMadeUpOfSeveralHoldings() {
    loaded(Town.SHA, 0, 2);
    loaded(Town.SHA, 1, 3);
    loaded(Town.SHA, 3, 4);
    assertThat(node.stock.cover(Town.SHA, "fake", 0, 4))
        .extracting(Coverage.Piece::from, Coverage.Piece::to)
        .containsExactly(tuple(0, 2), tuple(2, 3), tuple(3, 4));
    assertThatThrownBy(() -> node.stock.cover(OTHER, "other", 1, 3))
        .isInstanceOf(ClusterException.class)
        .hasMessage("layers 1-2 of model other (hash cdcdcdcdcdcd) are not here");
  }

  @Test
  void layersThatComeAfterTheEndAreFreed() {
    Held held = wanted(Town.SHA, 0, 2);
    node.stock.close();
    FakeWeights weights = node.supply.load(held);
    town.work();
    assertThat(weights.closed).isTrue();
    Held late = Held.placed(Town.SHA, "fake", new Range(2, 3), 1, 100);
    Town.Node other = town.node("b", 1000, 1);
    other.stock.hold(late);
    other.inbox.close();
    assertThat(other.supply.load(late).closed).isTrue();
  }
}
