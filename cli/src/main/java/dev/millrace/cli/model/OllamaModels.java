package dev.millrace.cli.model;

import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.internal.gguf.ModelFileFinder;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the models that Ollama keeps. A manifest {@code manifests/HOST/NAMESPACE/MODEL/TAG} lists
 * the layers of a model; the layer with its weights is a GGUF file, {@code blobs/sha256-DIGEST}.
 */
final class OllamaModels {
  private static final String WEIGHTS = "application/vnd.ollama.image.model";
  private static final Pattern DIGEST = Pattern.compile("sha256[:-]([0-9a-f]{64})");
  private static final int MOST_MANIFESTS = 10_000;
  private static final int MOST_BYTES = 1 << 20;

  /** The levels of directories that make a model's name. */
  private static final int LEVELS = 4;

  private final Path root;
  private final List<ModelFileFinder.Model> models = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  private OllamaModels(Path root) {
    this.root = root;
  }

  static ModelFileFinder.Found find(Path root) {
    OllamaModels found = new OllamaModels(root);
    Path manifests = root.resolve("manifests");
    if (Files.isDirectory(manifests)) {
      found.read(manifests);
    }
    found.models.sort(Comparator.comparing(ModelFileFinder.Model::name));
    return new ModelFileFinder.Found(found.models, found.problems);
  }

  private void read(Path manifests) {
    try {
      Files.walkFileTree(manifests, Set.of(), LEVELS, new ManifestVisitor(manifests));
    } catch (IOException e) {
      problems.add(ErrorText.of(e));
    }
  }

  /** Reads every manifest that it may; what it may not is a problem, and the search goes on. */
  private final class ManifestVisitor extends SimpleFileVisitor<Path> {
    private final Path manifests;
    private int read;

    ManifestVisitor(Path manifests) {
      this.manifests = manifests;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      Path relative = manifests.relativize(file);
      if (attributes.isRegularFile() && relative.getNameCount() == LEVELS) {
        manifest(file, relative);
        read++;
      }
      return read < MOST_MANIFESTS ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      problems.add(ErrorText.of(e));
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
      if (e != null) {
        problems.add(ErrorText.of(e));
      }
      return FileVisitResult.CONTINUE;
    }
  }

  private void manifest(Path file, Path relative) {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new JsonException("it is too long for one");
      }
      for (Object layer : Json.object(Files.readString(file)).list("layers")) {
        JsonObject fields = JsonObject.of(layer, "a layer");
        if (WEIGHTS.equals(fields.string("mediaType", null))) {
          models.add(model(name(relative), fields.string("digest")));
        }
      }
    } catch (JsonException e) {
      problems.add(file + " is no manifest: " + e.getMessage());
    } catch (IOException e) {
      problems.add(ErrorText.of(e));
    }
  }

  private ModelFileFinder.Model model(String name, String digest) throws IOException {
    var matcher = DIGEST.matcher(digest);
    if (!matcher.matches()) {
      throw new JsonException("\"" + SanitizedText.line(digest, 80) + "\" is no digest");
    }
    Path blob = root.resolve("blobs/sha256-" + matcher.group(1));
    return new ModelFileFinder.Model(name, blob, Files.exists(blob) ? Files.size(blob) : 0);
  }

  /** The name that Ollama shows, without its default host and namespace. */
  private static String name(Path relative) {
    String host = relative.getName(0).toString();
    String namespace = relative.getName(1).toString();
    String model = relative.getName(2) + ":" + relative.getName(3);
    if (!host.equals("registry.ollama.ai")) {
      return host + "/" + namespace + "/" + model;
    }
    return namespace.equals("library") ? model : namespace + "/" + model;
  }
}
