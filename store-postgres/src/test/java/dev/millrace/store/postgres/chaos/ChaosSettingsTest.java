package dev.millrace.store.postgres.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ChaosSettingsTest {
  @Test
  void theCommandOfALongRunHasTheProfileThatLetsItEnd() {
    assertThat(new ChaosSettings(Duration.ofMinutes(60), 7).command())
        .startsWith("mvn -Pproof verify -pl store-postgres ")
        .endsWith(" -Dmillrace.chaos=3600s -Dmillrace.seed=7");
    assertThat(new ChaosSettings(Duration.ofSeconds(90), 7).command())
        .startsWith("mvn verify -pl store-postgres ")
        .endsWith(" -Dmillrace.chaos=90s -Dmillrace.seed=7");
  }
}
