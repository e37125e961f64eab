package dev.millrace.http.monitoring;

import java.util.Optional;
import java.util.function.Supplier;

/** Something that must be well for the server to be of use. */
public interface ReadinessCheck {

  /** What it is, in a word or two. */
  String name();

  /** What is wrong now; empty if nothing. Soon, and without an exception. */
  Optional<String> failure();

  static ReadinessCheck of(String name, Supplier<Optional<String>> trouble) {
    return new ReadinessCheck() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Optional<String> failure() {
        return trouble.get();
      }
    };
  }
}
