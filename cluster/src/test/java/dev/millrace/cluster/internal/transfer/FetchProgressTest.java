package dev.millrace.cluster.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FetchProgressTest {
  private final List<String> logged = new ArrayList<>();
  private final List<String> reported = new ArrayList<>();
  private final Logger log = Logger.getLogger("dev.millrace.cluster");
  private final Handler ear =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          logged.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private long now;

  @BeforeEach
  void listen() {
    log.addHandler(ear);
  }

  @AfterEach
  void stop() {
    log.removeHandler(ear);
  }

  @Test
  void aFetchIsReportedAtItsStartEveryTenSecondsAndAtItsEnd() {
    long mib = 1 << 20;
    ModelFetch.WantedModel wanted = new ModelFetch.WantedModel("ab".repeat(32), "m\n", 29 * mib);
    FetchProgress account = new FetchProgress(wanted, () -> now, reported::add);
    account.askingPeer("f1", 12 * mib);
    for (int i = 1; i <= 25; i++) {
      now += TimeUnit.SECONDS.toNanos(1);
      account.received(12 * mib + i * mib / 2);
    }
    account.askingPeer("f1", 24 * mib); // the same call again
    account.askingPeer("f2", 0);
    account.finished();
    assertThat(logged)
        .containsExactly(
            "fetching m?, 29 MiB, from f1; 12 MiB are here already",
            "fetching m? from f1: 58 % of 29 MiB are here",
            "fetching m? from f1: 75 % of 29 MiB are here",
            "fetching m?, 29 MiB, from f2",
            "fetched m?, 29 MiB, in 25 s");
    assertThat(reported)
        .containsExactly(
            "41 % of 29 MiB are here",
            "58 % of 29 MiB are here", "75 % of 29 MiB are here", "0 % of 29 MiB are here");
  }
}
