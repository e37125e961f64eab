package dev.millrace.cli.serve;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a server still does before it is ready, for those who ask over HTTP. Thread-safe. */
final class StartupPhase {
  private volatile @Nullable String present = "it is starting";

  /** What it does now; empty if it is ready. */
  Optional<String> present() {
    return Optional.ofNullable(present);
  }

  void loading(String model) {
    present = "loading model \"" + model + "\"";
  }

  void warmingUp(String model) {
    present = "warming up model \"" + model + "\"";
  }

  void ready() {
    present = null;
  }
}
