package dev.millrace.cli.doctor;

import dev.millrace.cli.command.ErrorText;
import dev.millrace.core.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Collects the results of the checks. */
public final class Findings {
  private final List<Finding> all = new ArrayList<>();

  /** A check that may itself fail. */
  @FunctionalInterface
  public interface Check {
    void run() throws IOException;
  }

  public void ok(String subject, String text) {
    all.add(new Finding(Finding.Level.OK, subject, text, null));
  }

  public void warn(String subject, String text, String remedy) {
    all.add(new Finding(Finding.Level.WARN, subject, text, remedy));
  }

  public void fail(String subject, String text, String remedy) {
    all.add(new Finding(Finding.Level.FAIL, subject, text, remedy));
  }

  /** Runs a check; if it throws, that is a finding too, and the other checks still run. */
  public void guard(String subject, Check check) {
    try {
      check.run();
    } catch (IOException | UncheckedIOException | StoreException e) {
      fail(subject, "cannot be checked: " + ErrorText.of(e), remedy(String.valueOf(e)));
    }
  }

  /** As {@link #guard}, where the error itself says what to do. */
  public void guardAdvised(String subject, Check check) {
    try {
      check.run();
    } catch (IOException | UncheckedIOException | StoreException e) {
      all.add(
          new Finding(Finding.Level.FAIL, subject, "cannot be checked: " + ErrorText.of(e), null));
    }
  }

  private static String remedy(String problem) {
    if (problem.contains("No space left") || problem.contains("Disk quota exceeded")) {
      return "free some space, for example by pruning old jobs";
    }
    return problem.contains("Read-only file system")
        ? "remount it writable"
        : "check the permissions of the workspace";
  }

  public List<Finding> all() {
    return List.copyOf(all);
  }

  public boolean failed() {
    return all.stream().anyMatch(finding -> finding.level() == Finding.Level.FAIL);
  }
}
