package dev.millrace.cli.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Logger logger = System.getLogger("dev.millrace.test");

  @AfterEach
  void reset() {
    Log.configure(Map.of(), System.out, System.err, false);
  }

  private void use(boolean server, String... environment) {
    Map<String, String> variables =
        environment.length == 0 ? Map.of() : Map.of(environment[0], environment[1]);
    Log.configure(variables, new PrintStream(out), new PrintStream(err), server);
  }

  @Test
  void aLineHasTimeLevelThreadAndMessage() {
    use(true);
    logger.log(Level.INFO, "hello");
    assertThat(out.toString())
        .matches(
            "\\[\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}] \\[INFO] \\[main] hello\n");
  }

  @Test
  void aJsonLineHasTheSameAsFields() {
    use(true);
    Log.useJson();
    logger.log(Level.WARNING, "two\nlines \"quoted\"", new IOException("why"));
    JsonObject line = Json.object(out.toString());
    assertThat(out.toString()).endsWith("}\n").doesNotContain("\nlines");
    assertThat(Instant.parse(line.string("time"))).isBefore(Instant.now().plusSeconds(60));
    assertThat(line.values())
        .containsEntry("level", "WARN")
        .containsEntry("thread", "main")
        .containsEntry("message", "two\nlines \"quoted\"")
        .containsEntry("error", "why")
        .doesNotContainKey("stack");
  }

  @Test
  void secretsAreRedacted() {
    use(true, "MILLRACE_LOG_LEVEL", "debug");
    IOException problem = new IOException("https://me:hunter2@host/ does not answer");
    logger.log(Level.INFO, "password=hunter2", problem);
    Log.useJson();
    logger.log(Level.INFO, "password=hunter2", problem);
    Log.trace(problem);
    assertThat(out.toString() + err)
        .contains("password=[redacted]", "https://me:[redacted]@host/", "\tat ")
        .doesNotContain("hunter2");
  }

  @Test
  void aServersErrorsGoToStderrAndTheRestToStdout() {
    use(true);
    logger.log(Level.DEBUG, "no");
    logger.log(Level.WARNING, "careful");
    logger.log(Level.ERROR, "broken");
    assertThat(out.toString()).contains("[WARN] ", "careful").doesNotContain("broken", "no\n");
    assertThat(err.toString()).contains("[ERROR] ", "broken").doesNotContain("careful");
  }

  @Test
  void aCommandLogsToStandardError() {
    use(false);
    logger.log(Level.INFO, "no");
    logger.log(Level.WARNING, "careful");
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).contains("careful").doesNotContain("no\n");
  }

  @Test
  void theLevelComesFromTheEnvironment() {
    use(false, "NRVNA_LOG_LEVEL", "TRACE");
    assertThat(logger.isLoggable(Level.TRACE)).isTrue();
    use(true, "MILLRACE_LOG_LEVEL", "error");
    assertThat(logger.isLoggable(Level.WARNING)).isFalse();
    Log.configure(
        Map.of("MILLRACE_LOG_LEVEL", "info", "NRVNA_LOG_LEVEL", "trace"),
        new PrintStream(out),
        new PrintStream(err),
        false);
    assertThat(logger.isLoggable(Level.INFO)).isTrue();
    assertThat(logger.isLoggable(Level.DEBUG)).isFalse();
    use(false, "MILLRACE_LOG_LEVEL", "loud");
    assertThat(err.toString()).contains("MILLRACE_LOG_LEVEL is \"loud\"; known are error, warn");
    assertThat(logger.isLoggable(Level.WARNING)).isTrue();
  }

  @Test
  void stackTracesAppearOnlyAtDebug() {
    use(true);
    logger.log(Level.WARNING, "oh", new IllegalStateException("why"));
    assertThat(out.toString()).contains("oh: why\n").doesNotContain("\tat ");
    use(true, "MILLRACE_LOG_LEVEL", "debug");
    logger.log(Level.WARNING, "oh", new IllegalStateException("why"));
    assertThat(out.toString()).contains("IllegalStateException: why", "\tat ");
  }

  @Test
  void aMessageIsOneLine() {
    use(true);
    logger.log(Level.INFO, "a\n[2026-01-01 00:00:00.000] [INFO] [main] forged\033[2J");
    assertThat(out.toString().lines()).hasSize(1);
    assertThat(out.toString()).doesNotContain("\033");
  }

  @Test
  void parametersAreFilledIn() {
    use(true);
    logger.log(Level.INFO, "{0} of {1}", 1, 2);
    logger.log(Level.INFO, "{not a pattern");
    assertThat(out.toString()).contains("1 of 2", "{not a pattern");
  }

  @Test
  void loggersOfTheJdkLogFromWarningsOn() {
    use(true, "MILLRACE_LOG_LEVEL", "trace");
    assertThat(System.getLogger("java.lang.Runtime").isLoggable(Level.DEBUG)).isFalse();
    assertThat(System.getLogger("java.lang.Runtime").isLoggable(Level.WARNING)).isTrue();
  }

  @Test
  void membershipForbidsJavaDeserialization() throws IOException {
    JGroupsLogging.silence();
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    new ObjectOutputStream(written).writeObject(new Date(1));
    ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(written.toByteArray()));
    assertThatThrownBy(in::readObject).isInstanceOf(InvalidClassException.class);
  }

  @Test
  void theMembershipLibraryLogsOnlyAtDebug() {
    java.util.logging.Logger jgroups =
        java.util.logging.Logger.getLogger("org.jgroups.protocols.TCP");
    use(true);
    JGroupsLogging.silence();
    jgroups.severe("JGRP000001: a line of theirs");
    assertThat(out.toString()).isEmpty();
    use(true, "MILLRACE_LOG_LEVEL", "debug");
    JGroupsLogging.silence();
    jgroups.warning("JGRP000002: another");
    jgroups.info("no news");
    assertThat(out.toString())
        .contains("[DEBUG]", "membership: JGRP000002: another")
        .doesNotContain("no news");
    assertThat(err.toString()).isEmpty();
  }
}
