package dev.millrace.store.fs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the store says in its log, kept instead of printed. */
final class LogTap extends Handler {
  private final Logger logger = Logger.getLogger("dev.millrace.store");
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private LogTap() {}

  static LogTap open() {
    LogTap tap = new LogTap();
    tap.logger.setUseParentHandlers(false);
    tap.logger.addHandler(tap);
    return tap;
  }

  List<String> lines() {
    return lines;
  }

  @Override
  public void publish(LogRecord record) {
    lines.add(record.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
