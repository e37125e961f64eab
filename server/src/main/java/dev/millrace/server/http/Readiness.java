package dev.millrace.server.http;

import java.util.Optional;
import java.util.function.Supplier;

/** Something that must be well for the server to be of use. */
public interface Readiness {

  /** What it is, in a word or two. */
  String name();

  /** What is wrong now; empty if nothing. Soon, and without an exception. */
  Optional<String> trouble();

  static Readiness of(String name, Supplier<Optional<String>> trouble) {
    return new Readiness() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Optional<String> trouble() {
        return trouble.get();
      }
    };
  }
}
