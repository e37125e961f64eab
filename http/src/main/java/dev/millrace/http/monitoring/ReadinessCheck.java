package dev.millrace.http.monitoring;

import java.util.Optional;
import java.util.function.Supplier;

/** Checks a part that must work before the server is ready. */
public interface ReadinessCheck {

  /** The part that is checked, such as "store". */
  String name();

  /** What is wrong now; empty if nothing. Should return quickly and not throw. */
  Optional<String> failure();

  static ReadinessCheck of(String name, Supplier<Optional<String>> check) {
    return new ReadinessCheck() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Optional<String> failure() {
        return check.get();
      }
    };
  }
}
