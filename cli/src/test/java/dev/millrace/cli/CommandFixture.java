package dev.millrace.cli;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** An empty directory, and the commands that run in it. The workspace of most tests is "ws". */
public abstract class CommandFixture {
  @TempDir protected Path dir;

  /** The path of "ws"; the first command that submits creates it. */
  protected Path ws;

  protected InProcessCli cli;

  @BeforeEach
  void openDirectory() {
    ws = dir.resolve("ws");
    cli = new InProcessCli(dir);
  }
}
