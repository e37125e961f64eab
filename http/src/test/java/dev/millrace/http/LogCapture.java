package dev.millrace.http;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Collects what the server logs until it is closed. */
public final class LogCapture extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("dev.millrace.server");
  private final List<String> lines = new CopyOnWriteArrayList<>();

  public LogCapture() {
    logger.addHandler(this);
  }

  public List<String> lines() {
    return lines;
  }

  @Override
  public void publish(LogRecord line) {
    lines.add(new SimpleFormatter().formatMessage(line));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
