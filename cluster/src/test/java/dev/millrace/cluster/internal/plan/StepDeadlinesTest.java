package dev.millrace.cluster.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.internal.plan.StepDeadlines.Finding;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import dev.millrace.engine.internal.wheel.BatchLoop.InFlightGroup;
import java.util.List;
import org.junit.jupiter.api.Test;

final class StepDeadlinesTest {
  private static final int EPOCH = 3;
  private final StepDeadlines deadlines = new StepDeadlines(100, 20);
  private final PipeSession session =
      new PipeSession(
          5,
          0,
          new Pipe(
              EPOCH,
              "origin",
              4,
              List.of(
                  new NodeLayers("origin", 0, 1),
                  new NodeLayers("a", 1, 2),
                  new NodeLayers("b", 2, 4))));

  private static List<InFlightGroup> away(long... groupsAndSince) {
    List<InFlightGroup> away = new java.util.ArrayList<>();
    for (int i = 0; i < groupsAndSince.length; i += 2) {
      away.add(new InFlightGroup(groupsAndSince[i], EPOCH, groupsAndSince[i + 1]));
    }
    return away;
  }

  /** Received and passed, stretch by stretch. */
  private static List<PlannerEvent.StretchProgress> at(long... groups) {
    List<PlannerEvent.StretchProgress> stretches = new java.util.ArrayList<>();
    for (int i = 0; i < groups.length; i += 2) {
      stretches.add(new PlannerEvent.StretchProgress(groups[i], groups[i + 1]));
    }
    return stretches;
  }

  private void overdue() {
    assertThat(deadlines.check(session, away(8, 50, 7, 0), 99)).isNull();
    assertThat(deadlines.check(session, away(8, 50, 7, 0), 100)).isInstanceOf(Finding.Ask.class);
  }

  private String late(long now) {
    Finding finding = deadlines.check(session, away(7, 0), now);
    return finding instanceof Finding.Late late ? late.node() : "nobody";
  }

  @Test
  void nothingIsAskedBeforeAStepIsOverdue() {
    assertThat(deadlines.check(session, away(), 1000)).isNull();
    assertThat(deadlines.check(session, away(7, 950), 1000)).isNull();
    assertThat(deadlines.check(session, List.of(new InFlightGroup(7, EPOCH - 1, 0)), 1000))
        .as("of a plan that is over")
        .isNull();
  }

  @Test
  void aNodeThatReceivedTheStepAndDidNotPassItOnIsLate() {
    overdue();
    deadlines.probed(session, "a", at(8, 6));
    assertThat(late(101)).as("it need not wait for the others").isEqualTo("a");
  }

  @Test
  void theSecondNodeIsLateIfTheFirstPassedTheStepOn() {
    overdue();
    deadlines.probed(session, "b", at(7, 6));
    assertThat(late(101)).as("a has not answered yet").isEqualTo("nobody");
    deadlines.probed(session, "a", at(8, 8));
    assertThat(late(102)).isEqualTo("b");
  }

  @Test
  void aNodeThatDoesNotAnswerTheProbeIsLateAfterTheTimeout() {
    overdue();
    deadlines.probed(session, "b", at(6, 6));
    assertThat(late(119)).isEqualTo("nobody");
    assertThat(late(120)).isEqualTo("a");
  }

  @Test
  void aNodeThatDidNotReceiveTheStepIsLateAfterTheTimeout() {
    overdue();
    deadlines.probed(session, "a", at(8, 8));
    deadlines.probed(session, "b", at(6, 6));
    assertThat(late(119)).isEqualTo("nobody");
    assertThat(late(120)).isEqualTo("b");
  }

  @Test
  void theLastNodeIsLateIfAllSayTheyPassedTheStepOn() {
    overdue();
    deadlines.probed(session, "a", at(8, 8));
    deadlines.probed(session, "b", at(8, 8));
    assertThat(late(119)).isEqualTo("nobody");
    assertThat(late(120)).isEqualTo("b");
  }

  @Test
  void aStepThatCameBackAccusesNoNode() {
    overdue();
    deadlines.probed(session, "a", at(8, 6));
    assertThat(deadlines.check(session, away(8, 50), 140)).isNull();
    assertThat(deadlines.check(session, away(8, 50), 150)).isInstanceOf(Finding.Ask.class);
  }

  @Test
  void answersOfAnotherSessionCountNothing() {
    overdue();
    PipeSession other = new PipeSession(6, 0, session.plan());
    deadlines.probed(other, "a", at(8, 6));
    assertThat(late(101)).isEqualTo("nobody");
  }

  @Test
  void aNodeWithTwoStretchesIsLateWhereItKeepsTheSecond() {
    PipeSession twice =
        new PipeSession(
            5,
            0,
            new Pipe(
                EPOCH,
                "origin",
                4,
                List.of(
                    new NodeLayers("origin", 0, 1),
                    new NodeLayers("a", 1, 2),
                    new NodeLayers("b", 2, 3),
                    new NodeLayers("a", 3, 4))));
    assertThat(deadlines.check(twice, away(7, 0), 100)).isInstanceOf(Finding.Ask.class);
    deadlines.probed(twice, "a", at(8, 8, 7, 6));
    deadlines.probed(twice, "b", at(8, 8));
    assertThat(deadlines.check(twice, away(7, 0), 101))
        .isEqualTo(new Finding.Late("a", "has held a step for more than 0 ms"));
    assertThat(deadlines.check(twice, away(7, 0), 201)).isInstanceOf(Finding.Ask.class);
    deadlines.probed(twice, "a", at(8, 8, 6, 6));
    deadlines.probed(twice, "b", at(8, 6));
    assertThat(deadlines.check(twice, away(7, 0), 202))
        .as("it waits for b, which has it")
        .isEqualTo(new Finding.Late("b", "has held a step for more than 0 ms"));
  }
}
