package dev.millrace.cli.documents;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks that every class in a code span of a document is in the sources: {@code Engine}, {@code
 * Engine.open}, {@code engine.Engine}. A package before it and a member after it must exist too.
 */
public final class ClassNameCheck {
  private static final Pattern NAME =
      Pattern.compile(
          "@?((?:[a-z]\\w*\\.)*)([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:\\.(\\w+))?(?:\\.\\w+)*"
              + "(?:\\(.*\\))?");
  private static final Pattern PACKAGE = Pattern.compile("dev\\.millrace(?:\\.[a-z]\\w*)*");
  private static final Pattern DECLARED =
      Pattern.compile(
          "^ *(?:[a-z-]+ +)*@?(?:class|interface|enum|record) ([A-Z]\\w*)", Pattern.MULTILINE);
  private static final List<String> JDK =
      List.of(
          "java.lang", "java.util", "java.util.concurrent", "java.nio.file", "java.nio.channels");

  private record Source(String pack, String text) {}

  private final Map<String, List<Source>> sources = new HashMap<>();
  private final Set<String> foreign;

  /**
   * @param root of the repository; the sources are in {@code MODULE/src/SET/java}
   * @param foreign capitalised words of documents that are no classes of ours
   */
  public ClassNameCheck(Path root, Set<String> foreign) throws IOException {
    this.foreign = foreign;
    try (var modules = Files.newDirectoryStream(root, Files::isDirectory)) {
      for (Path module : modules) {
        for (String set : List.of("src/main/java", "src/test/java")) {
          Path folder = module.resolve(set);
          if (Files.isDirectory(folder)) {
            index(folder);
          }
        }
      }
    }
  }

  private void index(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (file.toString().endsWith(".java")) {
              String pack = folder.relativize(file.getParent()).toString().replace('/', '.');
              Source source = new Source(pack, Files.readString(file));
              Matcher declared = DECLARED.matcher(source.text());
              while (declared.find()) {
                sources.computeIfAbsent(declared.group(1), _ -> new ArrayList<>()).add(source);
              }
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  public List<DocumentFinding> check(MarkdownDocument document) {
    List<DocumentFinding> findings = new ArrayList<>();
    for (MarkdownDocument.Code code : document.code()) {
      String problem = code.inline() ? problem(code.text().strip()) : null;
      if (problem != null) {
        findings.add(new DocumentFinding(document.file(), code.line(), problem));
      }
    }
    return findings;
  }

  private @Nullable String problem(String text) {
    Matcher form = NAME.matcher(text);
    if (!form.matches()) {
      return PACKAGE.matcher(text).matches() && !isPackage(text) ? "no package " + text : null;
    }
    String name = form.group(2);
    if (foreign.contains(name) || isOfJdk(form.group(1) + name)) {
      return null;
    }
    List<Source> found = new ArrayList<>(sources.getOrDefault(name, List.of()));
    if (found.isEmpty()) {
      return "no class " + name;
    }
    if (!form.group(1).isEmpty()) {
      String pack = form.group(1).substring(0, form.group(1).length() - 1);
      found.removeIf(source -> !("." + source.pack()).endsWith("." + pack));
      if (found.isEmpty()) {
        return "no class " + name + " in a package " + pack;
      }
    }
    String member = form.group(3);
    if (member != null && found.stream().noneMatch(source -> hasWord(source.text(), member))) {
      return "no " + member + " in class " + name;
    }
    return null;
  }

  private boolean isPackage(String name) {
    return sources.values().stream()
        .flatMap(List::stream)
        .anyMatch(source -> (source.pack() + ".").startsWith(name + "."));
  }

  private static boolean hasWord(String text, String word) {
    return Pattern.compile("\\b" + word + "\\b").matcher(text).find();
  }

  private static boolean isOfJdk(String name) {
    if (name.startsWith("java.")) {
      return exists(name);
    }
    return !name.contains(".") && JDK.stream().anyMatch(pack -> exists(pack + "." + name));
  }

  private static boolean exists(String name) {
    try {
      Class.forName(name, false, ClassNameCheck.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
