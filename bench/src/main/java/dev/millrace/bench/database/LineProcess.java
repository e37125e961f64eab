package dev.millrace.bench.database;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.concurrent.TimeUnit;

/** A process that reads commands from lines and answers with lines; it ends with its input. */
final class LineProcess implements AutoCloseable {
  private static final int END_SECONDS = 10;

  private final String name;
  private final Process process;
  private final BufferedReader output;
  private final Writer input;

  private LineProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    this.output = process.inputReader();
    this.input = process.outputWriter();
  }

  static LineProcess start(String name, ProcessBuilder builder) throws IOException {
    return new LineProcess(name, builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  void send(String line) throws IOException {
    input.write(line + "\n");
    input.flush();
  }

  String receive() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException(name + " has ended; its error is above");
    }
    return line;
  }

  void expect(String answer) throws IOException {
    String line = receive();
    if (!line.equals(answer)) {
      throw new IOException(name + " says \"" + line + "\" instead of \"" + answer + "\"");
    }
  }

  @Override
  public void close() {
    try {
      input.close();
    } catch (IOException e) {
      // it has ended already
    }
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
