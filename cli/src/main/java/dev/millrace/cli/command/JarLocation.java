package dev.millrace.cli.command;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Optional;

/** The jar that this program runs from, to find what lies beside it. */
public final class JarLocation {
  private JarLocation() {}

  /** Empty if it runs from class files. */
  public static Optional<Path> find() {
    CodeSource source = JarLocation.class.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Path.of(source.getLocation().toURI())).filter(Files::isRegularFile);
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }
}
