package dev.millrace.engine.internal.gguf;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the models below a directory by their names, {@code *.gguf}, without opening them. Links
 * are followed, because the Hugging Face cache is made of them. A split model is found once, and so
 * is a file with several paths, unless all paths are asked for. Hidden directories are skipped.
 */
public final class ModelFileFinder extends SimpleFileVisitor<Path> {
  /** How deep below the directory the search goes. */
  static final int MOST_DEPTH = 8;

  /** The most files and directories to visit: a link may lead to a whole disk. */
  static final int MOST_ENTRIES = 200_000;

  private static final String SUFFIX = ".gguf";
  private static final Pattern CACHED =
      Pattern.compile("(?:.*/)?models--([^/]+)/snapshots/[^/]+/(.+)");

  /**
   * A model.
   *
   * @param name its path below the directory, without the suffix .gguf
   * @param file its file, or the first of its parts
   * @param bytes of all its files
   */
  public record Model(String name, Path file, long bytes) {}

  /**
   * The result of a search.
   *
   * @param models by name
   * @param problems what could not be read, as messages
   */
  public record Found(List<Model> models, List<String> problems) {}

  private final Path root;
  private final Map<Path, Long> files = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();
  private final Predicate<String> names;
  private final int most;
  private boolean everyPath;
  private int entries;

  private ModelFileFinder(Path root, Predicate<String> names, int most) {
    this.root = root;
    this.names = names;
    this.most = most;
  }

  /** Finds the models below {@code directory}; the result lists what cannot be read. */
  public static Found find(Path directory) {
    return find(directory, MOST_ENTRIES);
  }

  /**
   * Finds the models whose file has such a name, which is tested without the suffix .gguf and the
   * number of a part. A file with several paths is found by each of its names.
   */
  public static Found find(Path directory, Predicate<String> names) {
    return find(directory, names, MOST_ENTRIES);
  }

  /** Finds the models below {@code directory} by every path that leads to them. */
  public static Found findPaths(Path directory) {
    ModelFileFinder visitor = new ModelFileFinder(directory, _ -> true, MOST_ENTRIES);
    visitor.everyPath = true;
    return visitor.find();
  }

  static Found find(Path directory, int mostEntries) {
    return find(directory, _ -> true, mostEntries);
  }

  private static Found find(Path directory, Predicate<String> names, int mostEntries) {
    return new ModelFileFinder(directory, names, mostEntries).find();
  }

  private Found find() {
    try {
      Files.walkFileTree(root, EnumSet.of(FileVisitOption.FOLLOW_LINKS), MOST_DEPTH, this);
    } catch (IOException e) {
      problems.add(root + ": " + e);
    }
    return new Found(models(), List.copyOf(problems));
  }

  @Override
  public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
    boolean hidden = String.valueOf(directory.getFileName()).startsWith(".");
    return hidden && !directory.equals(root) ? FileVisitResult.SKIP_SUBTREE : counted(directory);
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
    // A broken link is kept: opening it gives the user the reason.
    boolean model = attributes.isRegularFile() || attributes.isSymbolicLink();
    if (model
        && file.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(SUFFIX)
        && names.test(fileName(file))) {
      files.put(file, attributes.isRegularFile() ? attributes.size() : 0);
    }
    return counted(file);
  }

  @Override
  public FileVisitResult visitFileFailed(Path file, IOException e) {
    if (!(e instanceof FileSystemLoopException)) {
      problems.add(file + ": cannot be read: " + e);
    }
    return counted(file);
  }

  @Override
  public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
    if (e != null) {
      problems.add(directory + ": could not be read to the end: " + e);
    }
    return FileVisitResult.CONTINUE;
  }

  private FileVisitResult counted(Path at) {
    if (++entries < most) {
      return FileVisitResult.CONTINUE;
    }
    problems.add(root + ": only the first " + most + " entries were visited, up to " + at);
    return FileVisitResult.TERMINATE;
  }

  private List<Model> models() {
    Map<Path, Model> models = new LinkedHashMap<>();
    Set<Path> seen = new HashSet<>();
    files.forEach(
        (file, bytes) -> {
          if (everyPath || seen.add(real(file))) {
            Model model = new Model(name(file), file, bytes);
            models.merge(whole(file), model, ModelFileFinder::join);
          }
        });
    return models.values().stream()
        .sorted(Comparator.comparing(Model::name).thenComparing(Model::file))
        .toList();
  }

  private static Model join(Model first, Model next) {
    return new Model(first.name(), first.file(), first.bytes() + next.bytes());
  }

  private static Path real(Path file) {
    try {
      return file.toRealPath();
    } catch (IOException e) {
      return file.toAbsolutePath();
    }
  }

  /** The key that all parts of a model share: the path of its first part. */
  private static Path whole(Path file) {
    return SplitFileName.of(file)
        .map(split -> file.resolveSibling(split.partFileName(1)))
        .orElse(file);
  }

  private String name(Path file) {
    String path =
        root.relativize(file.resolveSibling(fileName(file))).toString().replace('\\', '/');
    Matcher cached = CACHED.matcher(path);
    return cached.matches() ? cached.group(1).replace("--", "/") + "/" + cached.group(2) : path;
  }

  /** The file's name without the suffix and the number of a part. */
  private static String fileName(Path file) {
    String name = file.getFileName().toString();
    return SplitFileName.of(file)
        .map(SplitFileName::name)
        .orElse(name.substring(0, name.length() - SUFFIX.length()));
  }
}
