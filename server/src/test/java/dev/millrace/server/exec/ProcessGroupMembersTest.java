package dev.millrace.server.exec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Finds live members of a process group in lines of proc(5). */
@Timeout(30)
class ProcessGroupMembersTest {

  @Test
  void readsStateAndGroupBehindAnyName() {
    assertThat(ProcessGroupMembers.isAlive("12 (sh) S 1 77 77 0", 77)).isTrue();
    assertThat(ProcessGroupMembers.isAlive("12 (a) Z 1 (b)) R 1 77 77 0", 77)).isTrue();
  }

  @Test
  void zombiesAndOtherGroupsDoNotCount() {
    assertThat(ProcessGroupMembers.isAlive("12 (sh) Z 1 77 77 0", 77)).isFalse();
    assertThat(ProcessGroupMembers.isAlive("12 (sh) X 1 77 77 0", 77)).isFalse();
    assertThat(ProcessGroupMembers.isAlive("77 (sh) S 1 78 77 0", 77)).isFalse();
    assertThat(ProcessGroupMembers.isAlive("", 77)).isFalse();
  }

  @Test
  void findsThisProcess() throws Exception {
    Process child = new ProcessBuilder("setsid", "sleep", "300").start();
    try {
      // The group exists once setsid has run.
      while (!ProcessGroupMembers.anyAlive(child.pid())) {
        Thread.onSpinWait();
      }
    } finally {
      child.destroyForcibly().waitFor();
    }
    assertThat(ProcessGroupMembers.anyAlive(child.pid())).isFalse();
  }
}
