package dev.millrace.store.fs.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.store.fs.internal.fixture.ChildProcess;
import dev.millrace.store.fs.internal.fixture.ManyJobsOwner;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting jobs take little memory: a process with a small heap owns many of them. */
@Timeout(value = 600, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ManyJobsTest {
  private static final boolean PROOF = Boolean.getBoolean("millrace.proof");

  /** What a waiting job may take, in bytes; it takes about 212. */
  private static final int MOST = 240;

  /** A million start with 512 MB; in short, a tenth of that with 40 MB. */
  @Test
  void manyJobsStartInASmallHeap() throws Exception {
    int jobs = PROOF ? 1_000_000 : 100_000;
    String heap = PROOF ? "512m" : "40m";
    try (ChildProcess owner =
        new ChildProcess(heap, ManyJobsOwner.class, line -> {}, jobs, PROOF)) {
      assertThat(owner.line()).isEqualTo("opened");
      assertThat(owner.line()).isEqualTo("claimed 1");
      assertThat(owner.line()).isEqualTo("newest 50");
      String last = owner.line();
      while (!last.startsWith("bytes")) {
        last = owner.line();
      }
      assertThat(Integer.parseInt(last.replace("bytes for each job: ", ""))).isBetween(1, MOST);
      assertThat(owner.line()).isEqualTo("done");
    }
  }
}
