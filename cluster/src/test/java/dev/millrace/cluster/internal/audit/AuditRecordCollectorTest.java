package dev.millrace.cluster.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.cluster.internal.protocol.AuditRecords;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AuditRecordCollectorTest {
  private static final long PASSAGE = 3;
  private final PipeSession session =
      new PipeSession(
          5,
          0,
          new Pipe(
              1,
              "origin",
              4,
              List.of(
                  new NodeLayers("origin", 0, 1),
                  new NodeLayers("a", 1, 2),
                  new NodeLayers("b", 2, 4))));
  private final AuditRecordCollector collector = new AuditRecordCollector(session, PASSAGE, 2);

  private static NodeMessage records(long session, long passage, int rows) {
    List<RowHashRecorder.RowHashes> all = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      all.add(new RowHashRecorder.RowHashes(i, new byte[32], new byte[32]));
    }
    return new NodeMessage(Kind.RECORDS, session, new AuditRecords(passage, all).encode());
  }

  @Test
  void oneAnswerOfEachNodeCounts() throws Exception {
    assertThat(collector.await(1)).isFalse();
    collector.received("a", records(5, PASSAGE, 2));
    assertThat(collector.firstMissing()).isEqualTo("b");
    collector.received("a", records(5, PASSAGE, 1));
    collector.received("stranger", records(5, PASSAGE, 2));
    collector.received("b", records(6, PASSAGE, 2));
    assertThat(collector.await(1)).as("none of these is b's").isFalse();
    collector.received("b", records(5, PASSAGE, 2));
    assertThat(collector.await(1)).isTrue();
    assertThat(collector.firstMissing()).isNull();
    assertThat(collector.records().get("a")).hasSize(2);
    assertThat(collector.records()).containsOnlyKeys("a", "b");
  }

  @Test
  void invalidRecordsCountAsNone() throws Exception {
    collector.received("a", records(5, PASSAGE, 3));
    collector.received("b", records(5, PASSAGE + 1, 2));
    collector.received("b", new NodeMessage(Kind.RECORDS, 5, ByteBuffer.allocate(7)));
    assertThat(collector.records()).as("another passage's are not b's").containsOnlyKeys("a");
    assertThat(collector.records().get("a")).as("more than it can have").isEmpty();
    ByteBuffer cut = ByteBuffer.allocate(11).putLong(0, PASSAGE);
    collector.received("b", new NodeMessage(Kind.RECORDS, 5, cut));
    assertThat(collector.records().get("b")).as("broken off").isEmpty();
  }

  @Test
  void aLostNodeEndsTheWait() throws Exception {
    collector.lost("stranger");
    assertThat(collector.await(1)).isFalse();
    collector.received("a", records(5, PASSAGE, 2));
    collector.lost("a");
    assertThat(collector.await(1)).as("a has said what it had to").isFalse();
    collector.lost("b");
    assertThat(collector.await(60_000)).isTrue();
    assertThatThrownBy(collector::records).hasMessageContaining("node b was lost");
  }
}
