package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Packages stay small, and a class name means one thing in a module. */
class SourceTreeTest {
  private static final int MOST_FILES = 26; // "about 25", and its package-info
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private record Source(String module, Path packagePath, String name) {}

  private static List<Source> sources(String... kinds) throws IOException {
    List<Source> sources = new ArrayList<>();
    try (DirectoryStream<Path> modules =
        Files.newDirectoryStream(ROOT, it -> Files.isDirectory(it.resolve("src")))) {
      for (Path module : modules) {
        for (String kind : kinds) {
          Path java = module.resolve("src").resolve(kind).resolve("java");
          if (Files.isDirectory(java)) {
            try (Stream<Path> files = Files.walk(java)) {
              files
                  .filter(it -> it.toString().endsWith(".java"))
                  .map(it -> source(module, it))
                  .forEach(sources::add);
            }
          }
        }
      }
    }
    assertThat(sources).hasSizeGreaterThan(500);
    return sources;
  }

  private static Source source(Path module, Path file) {
    String name = file.getFileName().toString();
    return new Source(
        module.getFileName().toString(),
        ROOT.relativize(file.getParent()),
        name.substring(0, name.length() - ".java".length()));
  }

  @Test
  void packagesStaySmall() throws IOException {
    Map<Path, Integer> sizes = new TreeMap<>();
    sources("main", "test").forEach(it -> sizes.merge(it.packagePath(), 1, Integer::sum));
    assertThat(sizes).allSatisfy((_, size) -> assertThat(size).isLessThanOrEqualTo(MOST_FILES));
  }

  @Test
  void classNamesAreUniqueInAModule() throws IOException {
    Map<String, List<Path>> places = new TreeMap<>();
    for (Source source : sources("main", "test")) {
      if (!source.name().equals("package-info")) {
        places
            .computeIfAbsent(source.module() + ": " + source.name(), _ -> new ArrayList<>())
            .add(source.packagePath());
      }
    }
    assertThat(places).allSatisfy((_, packages) -> assertThat(packages).hasSize(1));
  }

  @Test
  void everyPackageSaysWhatItIsFor() throws IOException {
    Map<Path, Boolean> described = new TreeMap<>();
    for (Source source : sources("main")) {
      described.merge(
          source.packagePath(), source.name().equals("package-info"), Boolean::logicalOr);
    }
    assertThat(described).allSatisfy((_, is) -> assertThat(is).isTrue());
  }
}
