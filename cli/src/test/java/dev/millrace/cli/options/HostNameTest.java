package dev.millrace.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.NetworkSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostNameTest {
  @ParameterizedTest
  @ValueSource(strings = {"mill-1", "mill.example.org", "Größe", "  ", "a/b c", "\0"})
  void everyHostNameBecomesAValidNodeName(String name) {
    NetworkSettings.checkName(HostName.clean(name) + "-serve");
    assertThat(HostName.clean("x".repeat(300))).hasSize(50);
  }

  @Test
  void aGoodNameStays() {
    assertThat(HostName.clean("mill-1.example_x\n")).isEqualTo("mill-1.example_x");
  }
}
