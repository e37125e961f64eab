package dev.millrace.cli.model;

import dev.millrace.cli.args.Suggestion;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.server.infer.parameters.ModelNameMatcher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The model that a user means by {@code --model}: a path; a name that {@code millrace models}
 * lists; {@code ALIAS=MODEL}; else a part of a listed name that no other has.
 *
 * @param name what jobs, receipts and answers call it: the alias, else the listed name, else the
 *     file's name without its suffix
 */
public record ModelChoice(String name, Path file) {
  private static final Pattern ALIAS = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:@/-]{0,99}");
  private static final int MOST_CANDIDATES = 20;

  public static ModelChoice of(Shell shell, String text) {
    if (text.isBlank()) {
      throw new UsageException("--model must not be blank: name a file or a model");
    }
    Path path = shell.path(text);
    ModelCatalog catalog = ModelCatalog.of(shell);
    Optional<ModelChoice> exact = exact(catalog, text, path);
    if (exact.isPresent()) {
      return exact.get();
    }
    int equals = text.indexOf('=');
    if (equals < 0) {
      return search(catalog, text, path);
    }
    String alias = text.substring(0, equals);
    if (!isAlias(alias) || equals == text.length() - 1) {
      throw new UsageException(
          "--model \""
              + text
              + "\": neither a file nor ALIAS=PATH; an alias is 1 to 100 letters, digits and . _ :"
              + " @ / -");
    }
    String target = text.substring(equals + 1);
    Path targetPath = shell.path(target);
    ModelChoice choice =
        exact(catalog, target, targetPath).orElseGet(() -> search(catalog, target, targetPath));
    return new ModelChoice(alias, choice.file());
  }

  /** The model at this path or of exactly this name; empty if there is none. */
  public static Optional<ModelChoice> exact(Shell shell, String text) {
    return exact(ModelCatalog.of(shell), text, shell.path(text));
  }

  /** The files that a receipt may mean by a model's name, the likeliest first. */
  public static List<Path> candidates(Shell shell, String name) {
    ModelCatalog catalog = ModelCatalog.of(shell);
    Stream<ListedModel> byName = catalog.matching(name).stream();
    // Receipts of earlier versions have the file's name, whatever its folder.
    Stream<ListedModel> byFile =
        catalog.models().stream().filter(model -> stem(model.file()).equals(name));
    return Stream.concat(byName, byFile)
        .map(ListedModel::file)
        .distinct()
        .limit(MOST_CANDIDATES)
        .toList();
  }

  /** Whether a model may have this name in {@code ALIAS=MODEL}. */
  public static boolean isAlias(String text) {
    return ALIAS.matcher(text).matches();
  }

  /** A file's name, less its suffix and, of a split model, the number of its part. */
  public static String stem(Path file) {
    return stem(String.valueOf(file.getFileName()));
  }

  public static String stem(String name) {
    return ModelNameMatcher.stem(name);
  }

  private static Optional<ModelChoice> exact(ModelCatalog catalog, String text, Path path) {
    if (Files.exists(path) && !Files.isDirectory(path)) {
      return Optional.of(new ModelChoice(catalog.nameOf(path).orElse(stem(path)), path));
    }
    if (text.equals(HouseModel.NAME)) {
      return Optional.of(new ModelChoice(HouseModel.NAME, HouseModel.file()));
    }
    return catalog.named(text).map(ModelChoice::of);
  }

  private static ModelChoice of(ListedModel model) {
    return new ModelChoice(model.name(), model.file());
  }

  private static ModelChoice search(ModelCatalog catalog, String text, Path path) {
    // A directory may be called like a model, but a part of a name is not what it means.
    List<ListedModel> candidates =
        Files.isDirectory(path) ? catalog.matchingWhole(text) : catalog.matching(text);
    return switch (candidates.size()) {
      case 0 -> throw missing(catalog, text, path);
      case 1 -> of(candidates.getFirst());
      default -> throw ambiguous(text, candidates);
    };
  }

  private static CommandException ambiguous(String text, List<ListedModel> candidates) {
    List<String> names = new ArrayList<>();
    for (ListedModel model : candidates.subList(0, Math.min(MOST_CANDIDATES, candidates.size()))) {
      names.add(SanitizedText.line(model.name(), 200));
    }
    int more = candidates.size() - names.size();
    return new CommandException(
        "\""
            + SanitizedText.line(text, 100)
            + "\" could be any of these models: "
            + String.join(", ", names)
            + (more > 0 ? " and " + more + " more" : "")
            + "; name one of them in full");
  }

  private static CommandException missing(ModelCatalog catalog, String text, Path path) {
    if (Files.isDirectory(path)) {
      return new CommandException(
          SanitizedText.line(text, 500) + " is a directory: name a GGUF file in it as the model");
    }
    List<String> places = catalog.searched().stream().map(Path::toString).toList();
    String near = nearest(catalog, text);
    return new CommandException(
        SanitizedText.line(path.toString(), 500)
            + ": there is no such file, and no model with \""
            + SanitizedText.line(text, 100)
            + "\" in its name in "
            + SanitizedText.line(String.join(", ", places), 2000)
            + "; "
            + SuggestedCommand.of("models")
                .to("lists all names, and \"house\" is the bundled model")
            + (near == null ? "" : "; did you mean " + near + "?"));
  }

  /** The listed name that is spelled most like it, as a whole or in its last part. */
  private static @Nullable String nearest(ModelCatalog catalog, String text) {
    String wanted = stem(text).toLowerCase(Locale.ROOT);
    List<String> known = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (ListedModel model : catalog.models()) {
      String lower = model.name().toLowerCase(Locale.ROOT);
      for (String form :
          List.of(lower, lower.substring(lower.lastIndexOf('/') + 1), lower.split(":", 2)[0])) {
        known.add(form);
        names.add(model.name());
      }
    }
    String close = Suggestion.closest(wanted, known);
    return close == null ? null : names.get(known.indexOf(close));
  }
}
