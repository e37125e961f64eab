package dev.millrace.server.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.server.InMemoryServer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which variables a program gets. */
@Timeout(60)
class ExecEnvironmentTest {
  private static final Map<String, String> SERVER =
      Map.of(
          "PATH", "/usr/bin:/bin",
          "HOME", "/home/mill",
          "USER", "mill",
          "LANG", "C.UTF-8",
          "LC_TIME", "de_DE",
          "TZ", "UTC",
          "TMPDIR", "/var/tmp",
          "TRACEPARENT", "00-of-the-server",
          "MILLRACE_API_KEY", "mrk_secret",
          "AWS_SECRET_ACCESS_KEY", "secret");

  /** Set by the shell itself. */
  private static final Set<String> OF_THE_SHELL = Set.of("PWD", "OLDPWD", "SHLVL", "_");

  private static Set<String> seenByProgram(ExecEnvironment environment)
      throws InterruptedException {
    try (InMemoryServer inMemory = new InMemoryServer()) {
      inMemory.start(
          new ExecWorker(
              "run", "env", ExecLimits.DEFAULT, RunningPrograms.unrecorded(), environment));
      String result = inMemory.await(inMemory.submit("run", "x")).result();
      Set<String> seen = new TreeSet<>(result.lines().toList());
      seen.removeIf(line -> OF_THE_SHELL.contains(line.substring(0, line.indexOf('='))));
      seen.removeIf(line -> line.startsWith("MILLRACE_") && !line.startsWith("MILLRACE_API"));
      seen.removeIf(line -> line.startsWith("TRACEPARENT=") && !line.endsWith("of-the-server"));
      return seen;
    }
  }

  @Test
  void programGetsPlaceAndLanguageAndNoSecret() throws InterruptedException {
    assertThat(seenByProgram(ExecEnvironment.of(SERVER)))
        .containsExactlyInAnyOrder(
            "PATH=/usr/bin:/bin",
            "HOME=/home/mill",
            "USER=mill",
            "LANG=C.UTF-8",
            "LC_TIME=de_DE",
            "TZ=UTC",
            "TMPDIR=/var/tmp");
  }

  @Test
  void additionsArePassedOnOrSet() throws InterruptedException {
    ExecEnvironment environment =
        ExecEnvironment.of(SERVER, List.of("AWS_SECRET_ACCESS_KEY", "MODE=a=b", "LANG=C", "E="));

    assertThat(seenByProgram(environment))
        .contains("AWS_SECRET_ACCESS_KEY=secret", "MODE=a=b", "LANG=C", "E=")
        .doesNotContain("LANG=C.UTF-8");
  }

  @Test
  void theKeyOfTheServerIsNeverPassedOnButAProgramMayHaveItsOwn() throws InterruptedException {
    assertThatThrownBy(() -> ExecEnvironment.of(SERVER, List.of("MILLRACE_API_KEY")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("never passed on")
        .hasMessageContaining("a key of its own");

    assertThat(seenByProgram(ExecEnvironment.of(SERVER, List.of("MILLRACE_API_KEY=mrk_other"))))
        .contains("MILLRACE_API_KEY=mrk_other");
  }

  @Test
  void additionsThatCannotBeUsedAreRefusedWithTheRule() {
    assertRefused("NOT_SET", "the server's environment has no NOT_SET");
    assertRefused("MILLRACE_JOB=1", "MILLRACE_JOB describes a program's task");
    assertRefused("TRACEPARENT", "TRACEPARENT describes a program's task");
    assertRefused("1A=x", "expected NAME or NAME=VALUE");
    assertRefused("=x", "expected NAME or NAME=VALUE");
    assertRefused("a b", "expected NAME or NAME=VALUE");
    assertThatThrownBy(() -> ExecEnvironment.of(SERVER, List.of("A=1", "A=2")))
        .hasMessage("variable A is given twice");
  }

  private static void assertRefused(String added, String why) {
    assertThatThrownBy(() -> ExecEnvironment.of(SERVER, List.of(added)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void valuesAreNotShown() {
    assertThat(ExecEnvironment.of(SERVER, List.of("TOKEN=hidden")))
        .hasToString("HOME, LANG, LC_TIME, PATH, TMPDIR, TOKEN, TZ, USER");
  }
}
