package dev.millrace.cluster.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AuditRecordsTest {
  private static final long SEED = 3;

  private static byte[] hash(Random random) {
    byte[] hash = new byte[32];
    random.nextBytes(hash);
    return hash;
  }

  @Test
  void comesBackAsItWas() {
    Random random = new Random(SEED);
    List<RowHashRecorder.RowHashes> rows = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      rows.add(new RowHashRecorder.RowHashes(i, hash(random), hash(random)));
    }
    AuditRecords read = AuditRecords.decode(new AuditRecords(77, rows).encode());
    assertThat(read.sequence()).isEqualTo(77);
    assertThat(read.rows()).hasSize(40);
    for (int i = 0; i < 40; i++) {
      assertThat(read.rows().get(i).position()).isEqualTo(i);
      assertThat(read.rows().get(i).in()).as("seed %d", SEED).isEqualTo(rows.get(i).in());
      assertThat(read.rows().get(i).out()).as("seed %d", SEED).isEqualTo(rows.get(i).out());
    }
  }

  @Test
  void everyOtherLengthIsRefused() {
    Random random = new Random(SEED);
    AuditRecords one =
        new AuditRecords(1, List.of(new RowHashRecorder.RowHashes(0, hash(random), hash(random))));
    ByteBuffer bytes = one.encode();
    for (int length = 0; length < bytes.limit(); length++) {
      ByteBuffer shorter = bytes.duplicate().limit(length);
      assertThatThrownBy(() -> AuditRecords.decode(shorter)).isInstanceOf(ClusterException.class);
    }
    ByteBuffer longer = ByteBuffer.allocate(bytes.limit() + 1).put(bytes.duplicate()).rewind();
    assertThatThrownBy(() -> AuditRecords.decode(longer)).isInstanceOf(ClusterException.class);
    ByteBuffer forged = ByteBuffer.allocate(12).putLong(1).putInt(Integer.MAX_VALUE).flip();
    assertThatThrownBy(() -> AuditRecords.decode(forged)).isInstanceOf(ClusterException.class);
  }
}
