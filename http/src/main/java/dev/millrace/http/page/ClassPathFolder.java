package dev.millrace.http.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A folder of resources: a directory while the project is built, else part of a jar. Only what it
 * lists can be read from it.
 *
 * @param root such as {@code dev/millrace/http/page}
 * @param files paths below the root, sorted, such as {@code views/now.js}
 */
record ClassPathFolder(String root, List<String> files) {
  private static final ClassLoader LOADER = ClassPathFolder.class.getClassLoader();

  /** The folder with all files below it; empty if the class path has none. */
  static Optional<ClassPathFolder> find(String root) {
    return Optional.ofNullable(LOADER.getResource(root)).map(url -> list(url, root));
  }

  /** The folder that has {@code file}: another one of the same name may be on the class path. */
  static Optional<ClassPathFolder> with(String root, String file) {
    return Optional.ofNullable(LOADER.getResource(root + "/" + file)).map(url -> list(url, root));
  }

  private static ClassPathFolder list(URL url, String root) {
    try {
      List<String> files = url.getProtocol().equals("file") ? beside(url) : inJar(url, root + "/");
      return new ClassPathFolder(root, files.stream().sorted().toList());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + url, e);
    }
  }

  private static List<String> beside(URL url) throws IOException {
    Path found = Path.of(URI.create(url.toString()));
    Path directory = Files.isDirectory(found) ? found : found.resolveSibling("");
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile)
          .map(file -> directory.relativize(file).toString().replace('\\', '/'))
          .toList();
    }
  }

  private static List<String> inJar(URL url, String prefix) throws IOException {
    if (!(url.openConnection() instanceof JarURLConnection jar)) {
      throw new IOException("it is neither a directory nor in a jar");
    }
    return jar.getJarFile().stream()
        .filter(entry -> !entry.isDirectory() && entry.getName().startsWith(prefix))
        .map(entry -> entry.getName().substring(prefix.length()))
        .toList();
  }

  /** Reads a file that it lists. */
  byte[] read(String file) {
    String resource = root + "/" + file;
    try (InputStream in = files.contains(file) ? LOADER.getResourceAsStream(resource) : null) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing from the class path");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }
}
