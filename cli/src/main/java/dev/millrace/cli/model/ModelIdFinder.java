package dev.millrace.cli.model;

import dev.millrace.cli.command.Shell;
import dev.millrace.engine.internal.gguf.ModelFileFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Finds the GGUF file of a model id such as {@code Qwen/Qwen3-1.7B}: a path, a listed name, or a
 * file whose name is the last part of the id, or that and a quantization. Files of another model
 * are never taken for it, so {@code Qwen3-1.7B-Base-Q8_0.gguf} is not found.
 */
public final class ModelIdFinder {
  private static final Pattern QUANTIZATION =
      Pattern.compile("[-._](gguf[-._])?(ud[-._])?(i?q\\d\\w*|b?f(16|32)|fp(16|32)|mxfp4\\w*)");

  private final Shell shell;

  public ModelIdFinder(Shell shell) {
    this.shell = shell;
  }

  /**
   * What was found for an id.
   *
   * @param searched the directories
   */
  public record Result(List<Path> files, List<String> searched) {
    public Result {
      files = List.copyOf(files);
      searched = List.copyOf(searched);
    }

    /** The file as {@code --model} takes it, under the name of the id. */
    public String option(String id) {
      String file = files.getFirst().toString();
      return id.equals(HouseModel.NAME) || !ModelChoice.isAlias(id) || isPath(id)
          ? file
          : id + "=" + file;
    }

    private static boolean isPath(String id) {
      return id.toLowerCase(Locale.ROOT).endsWith(".gguf");
    }
  }

  public Result find(String id) {
    Optional<ModelChoice> exact = ModelChoice.exact(shell, id);
    if (exact.isPresent()) {
      return new Result(List.of(exact.get().file().toAbsolutePath().normalize()), List.of());
    }
    // Several links may lead to one file; the first path stands for it.
    Map<Path, Path> files = new LinkedHashMap<>();
    Predicate<String> names = name -> isNamed(name, id);
    List<String> searched = new ArrayList<>();
    for (ModelDirectories.Location location : ModelDirectories.all(shell)) {
      if (Files.isDirectory(location.directory())) {
        add(files, location.find(names));
      }
      searched.add(location.directory().toString());
    }
    return new Result(files.values().stream().sorted().toList(), searched);
  }

  private static void add(Map<Path, Path> files, List<ModelFileFinder.Model> found) {
    for (ModelFileFinder.Model model : found) {
      Path file = model.file().toAbsolutePath().normalize();
      files.putIfAbsent(ModelCatalog.real(file), file);
    }
  }

  private static boolean isNamed(String file, String id) {
    String wanted = id.substring(id.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    String name = file.toLowerCase(Locale.ROOT);
    return name.startsWith(wanted) && isRest(name.substring(wanted.length()));
  }

  private static boolean isRest(String rest) {
    return rest.isEmpty() || QUANTIZATION.matcher(rest).matches();
  }
}
