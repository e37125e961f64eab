package dev.millrace.cli.model;

import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.engine.internal.gguf.ModelFileFinder;
import dev.millrace.server.infer.parameters.ModelNameMatcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The models of this machine, each under a name of its own. A name is the path below the directory
 * that is searched, without {@code .gguf}, or Ollama's name. Where that is taken, the directory's
 * name comes before it, else the whole path is the name. Only names are read, no file is opened.
 */
public final class ModelCatalog {
  private static final Pattern PART = Pattern.compile("-\\d{5}-of-(\\d{5}\\.gguf)$");

  /** Of files with the same name, as in snapshots of a repository, the newest comes first. */
  private static final Comparator<ModelFileFinder.Model> ORDER =
      Comparator.comparing(ModelFileFinder.Model::name)
          .thenComparing(
              Comparator.comparing((ModelFileFinder.Model model) -> modified(model.file()))
                  .reversed());

  private final Shell shell;
  private final Map<String, ListedModel> listed = new LinkedHashMap<>();
  private final Map<Path, ListedModel> byFile = new HashMap<>(); // the first of each real file

  /** Further paths to listed files. */
  private final Map<String, ListedModel> links = new LinkedHashMap<>();

  private final List<Path> searched = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final List<String> leftOut = new ArrayList<>();

  private ModelCatalog(Shell shell) {
    this.shell = shell;
  }

  /** Searches all directories now. */
  public static ModelCatalog of(Shell shell) {
    ModelCatalog catalog = new ModelCatalog(shell);
    HouseModel.find().ifPresent(catalog::addHouse);
    ModelDirectories.all(shell).forEach(catalog::add);
    return catalog;
  }

  /** In the order of the directories, and of their names within one. */
  public List<ListedModel> models() {
    return List.copyOf(listed.values());
  }

  /** What could not be read, as messages. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** The files that are not listed, with the reason, as messages. */
  List<String> leftOut() {
    return List.copyOf(leftOut);
  }

  /** The directories that were searched, whether they exist or not. */
  List<Path> searched() {
    return List.copyOf(searched);
  }

  /** The model with exactly this name. */
  Optional<ListedModel> named(String name) {
    ListedModel model = listed.get(name);
    return Optional.ofNullable(model == null ? links.get(name) : model);
  }

  /** The models that a text can mean by the rules of {@link ModelNameMatcher}. */
  List<ListedModel> matching(String text) {
    return models(ModelNameMatcher.matches(names(), text));
  }

  /** The same without models of whose names it is merely a part. */
  List<ListedModel> matchingWhole(String text) {
    return models(ModelNameMatcher.wholeMatches(names(), text));
  }

  private Set<String> names() {
    Set<String> names = new LinkedHashSet<>(listed.keySet());
    names.addAll(links.keySet());
    return names;
  }

  /** One for each file. */
  private List<ListedModel> models(List<String> names) {
    Map<Path, ListedModel> files = new LinkedHashMap<>();
    for (String name : names) {
      ListedModel model = named(name).orElseThrow();
      files.putIfAbsent(real(model.file()), model);
    }
    return List.copyOf(files.values());
  }

  /** The name of a file, or of a part of a split model; empty if it is not listed. */
  Optional<String> nameOf(Path file) {
    String first = PART.matcher(String.valueOf(file.getFileName())).replaceFirst("-00001-of-$1");
    return Optional.ofNullable(byFile.get(real(file.resolveSibling(first)))).map(ListedModel::name);
  }

  /** The further names by which a model is found. */
  List<String> otherNames(ListedModel model) {
    return links.entrySet().stream()
        .filter(link -> link.getValue().equals(model) && !listed.containsKey(link.getKey()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private void addHouse(Path file) {
    list(new ListedModel(HouseModel.NAME, "bundled", file, size(file)), real(file));
  }

  private void add(ModelDirectories.Location location) {
    searched.add(location.directory());
    if (!Files.isDirectory(location.directory())) {
      if (location.isVariable()) {
        problems.add(location.place() + " is not a directory: " + location.directory());
      }
      return;
    }
    ModelFileFinder.Found found = location.find();
    problems.addAll(found.problems());
    Map<Path, ModelFileFinder.Model> files = new LinkedHashMap<>();
    List<ModelFileFinder.Model> usable =
        found.models().stream().filter(this::isUsable).sorted(ORDER).toList();
    for (ModelFileFinder.Model model : usable) {
      files.merge(real(model.file()), model, ModelCatalog::original);
    }
    for (ModelFileFinder.Model model : usable) {
      Path real = real(model.file());
      // Ollama's users know each tag as a name; elsewhere a file has one name.
      if (location.isOllama() || files.get(real) == model && !byFile.containsKey(real)) {
        list(location, model, real);
      }
    }
    for (ModelFileFinder.Model model : usable) {
      if (!listed.containsKey(model.name())) {
        links.putIfAbsent(model.name(), byFile.get(real(model.file())));
      }
    }
  }

  /** Of two paths to a file the one that is not a link. */
  private static ModelFileFinder.Model original(
      ModelFileFinder.Model first, ModelFileFinder.Model next) {
    return Files.isSymbolicLink(first.file()) && !Files.isSymbolicLink(next.file()) ? next : first;
  }

  private boolean isUsable(ModelFileFinder.Model model) {
    String name = model.name();
    String file = String.valueOf(model.file().getFileName()).toLowerCase(Locale.ROOT);
    if (file.contains("mmproj")) {
      leftOut.add(model.file() + " is left out: a vision projector is not a model by itself");
      return false;
    }
    if (!SanitizedText.line(name, Integer.MAX_VALUE).equals(name)) {
      leftOut.add(model.file() + " is left out: its name has control characters; rename it");
      return false;
    }
    return true;
  }

  private void list(ModelDirectories.Location location, ModelFileFinder.Model model, Path real) {
    ListedModel same = listed.get(model.name());
    if (same != null && real(same.file()).equals(real)) {
      return;
    }
    String path = model.file().toAbsolutePath().normalize().toString();
    for (String name : new String[] {model.name(), location.prefix() + "/" + model.name(), path}) {
      if (isFree(name, real)) {
        list(new ListedModel(name, location.place(), model.file(), model.bytes()), real);
        return;
      }
    }
  }

  private void list(ListedModel model, Path real) {
    listed.put(model.name(), model);
    byFile.putIfAbsent(real, model);
  }

  /** Whether {@code --model} would take the name for this file: paths come before names. */
  private boolean isFree(String name, Path real) {
    if (name.equals(HouseModel.NAME) || listed.containsKey(name)) {
      return false;
    }
    try {
      Path path = shell.path(name);
      return !Files.exists(path) || Files.isDirectory(path) || real(path).equals(real);
    } catch (UsageException e) {
      return true; // not a path at all
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0; // opening it gives the reason
    }
  }

  private static FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      return FileTime.fromMillis(0); // a broken link
    }
  }

  static Path real(Path file) {
    try {
      return file.toRealPath();
    } catch (IOException e) {
      return file.toAbsolutePath().normalize(); // a broken link; opening it gives the reason
    }
  }
}
