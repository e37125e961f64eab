package dev.millrace.cli.model;

import dev.millrace.cli.command.CommandException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The small model that ships with Millrace; users call it {@code house}. */
public final class HouseModel {
  public static final String NAME = "house";

  /** Where the launcher says that Millrace is. */
  static final String HOME = "millrace.home";

  private HouseModel() {}

  /** Its file; empty where this installation has none. */
  public static Optional<Path> find() {
    return home().map(HouseModel::in).filter(Files::isRegularFile);
  }

  static Optional<Path> home() {
    String home = System.getProperty(HOME, "");
    return home.isEmpty() ? Optional.empty() : Optional.of(Path.of(home));
  }

  public static Path in(Path home) {
    return home.resolve("models/house/house.gguf");
  }

  /** Its file, or what to do where there is none. */
  static Path file() {
    return find().orElseThrow(() -> new CommandException(missing()));
  }

  private static String missing() {
    String remedy = "; start Millrace by its launcher, or name a GGUF file instead";
    return home()
        .map(home -> "the house model is not at " + in(home) + remedy)
        .orElse("where the house model is cannot be told: -D" + HOME + " is not set" + remedy);
  }
}
