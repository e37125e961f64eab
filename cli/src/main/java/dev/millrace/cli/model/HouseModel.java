package dev.millrace.cli.model;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.JarLocation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** The small model that ships with Millrace; users call it {@code house}. */
public final class HouseModel {
  public static final String NAME = "house";

  /** The system property in which the launcher passes the installation directory. */
  static final String HOME = "millrace.home";

  private HouseModel() {}

  /** Its file; empty if this installation has none. */
  public static Optional<Path> find() {
    return home().map(HouseModel::in).filter(Files::isRegularFile);
  }

  static Optional<Path> home() {
    String home = System.getProperty(HOME, "");
    return home.isEmpty()
        ? JarLocation.find().flatMap(HouseModel::above)
        : Optional.of(Path.of(home));
  }

  /**
   * The installation of a jar that was started without the launcher: the jar is in its {@code lib},
   * or in {@code cli/target} of a clone.
   */
  private static Optional<Path> above(Path jar) {
    return Stream.of("../..", "../../..")
        .map(up -> jar.resolve(up).normalize())
        .filter(home -> Files.isRegularFile(in(home)))
        .findFirst();
  }

  public static Path in(Path home) {
    return home.resolve("models/house/house.gguf");
  }

  /** Its file, or an error that says what to do. */
  static Path file() {
    return find().orElseThrow(() -> new CommandException(missing()));
  }

  private static String missing() {
    String remedy = "; start Millrace with its launcher, or name a GGUF file";
    return home()
        .map(home -> "the house model is not at " + in(home) + remedy)
        .orElse("the house model cannot be found: -D" + HOME + " is not set" + remedy);
  }
}
