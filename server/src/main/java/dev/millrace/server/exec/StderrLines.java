package dev.millrace.server.exec;

import dev.millrace.core.internal.secret.PrivateKeys;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Splits stderr of a program into lines and passes them to the job's log, within limits. Keeps the
 * last line that is not blank. One thread calls {@link #add} and {@link #finish}.
 */
final class StderrLines {
  private final ExecLimits limits;
  private final Consumer<String> log;
  private final PrivateKeys keys = new PrivateKeys();
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean cut; // whether the current line is cut
  private boolean begun; // whether there is a current line
  private int lines;
  private long bytes;
  private volatile String last = "";

  StderrLines(ExecLimits limits, Consumer<String> log) {
    this.limits = limits;
    this.log = log;
  }

  void add(byte[] buffer, int length) {
    for (int i = 0; i < length; i++) {
      if (buffer[i] == '\n') {
        endLine();
      } else {
        begun = true;
        if (line.size() < limits.maxLineBytes()) {
          line.write(buffer[i]);
        } else {
          cut = true;
        }
      }
    }
  }

  /** The last line need not end with a newline. */
  void finish() {
    if (begun) {
      endLine();
    }
  }

  private void endLine() {
    String text =
        keys.redactLine(line.toString(StandardCharsets.UTF_8).stripTrailing()) + (cut ? "…" : "");
    int size = line.size();
    line.reset();
    cut = false;
    begun = false;
    if (!text.isBlank()) {
      last = text;
    }
    pass(text, size);
  }

  private void pass(String text, int size) {
    if (lines > limits.maxLogLines()) {
      return;
    }
    lines++;
    bytes += size;
    if (lines > limits.maxLogLines() || bytes > limits.maxLogBytes()) {
      lines = limits.maxLogLines() + 1;
      log.accept(
          "stderr is cut here: an attempt may log %d lines and %d bytes"
              .formatted(limits.maxLogLines(), limits.maxLogBytes()));
      return;
    }
    log.accept(text);
  }

  /** The last line that was not blank; empty if there was none. */
  String last() {
    return last;
  }
}
