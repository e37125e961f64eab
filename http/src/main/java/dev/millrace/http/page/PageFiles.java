package dev.millrace.http.page;

import dev.millrace.http.monitoring.StaticContent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files of the page and of its libraries, by their path below {@code /page}. The list is made
 * once: a path that is not in it is not looked for. A file is read and compressed when it is first
 * asked for. Thread-safe.
 */
final class PageFiles {
  private static final String OWN = "dev/millrace/http/page";

  private static final Map<String, String> MEDIA_TYPES =
      Map.of(
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "png", "image/png",
          "json", "application/json");

  private record Place(ClassPathFolder folder, String file) {}

  private final Map<String, Place> places = new HashMap<>();
  private final Map<String, StaticContent> read = new ConcurrentHashMap<>();

  private PageFiles() {}

  static PageFiles of(List<LibraryModules> libraries) {
    PageFiles files = new PageFiles();
    ClassPathFolder own = own();
    own.files().stream()
        .filter(file -> !file.equals(PageDocument.FILE) && !file.endsWith(".class"))
        .forEach(file -> files.add(file, own, file));
    for (LibraryModules library : libraries) {
      for (String file : library.folder().files()) {
        files.add(library.path() + file, library.folder(), file);
      }
    }
    return files;
  }

  /** The project's own files; the classes of this package may be among them. */
  static ClassPathFolder own() {
    return ClassPathFolder.with(OWN, PageDocument.FILE)
        .orElseThrow(() -> new IllegalStateException(OWN + " is missing from the class path"));
  }

  private void add(String path, ClassPathFolder folder, String file) {
    if (!MEDIA_TYPES.containsKey(extension(file))) {
      throw new IllegalStateException("no media type is known for " + folder.root() + "/" + file);
    }
    places.put(path, new Place(folder, file));
  }

  Optional<StaticContent> find(String path) {
    Place place = places.get(path);
    return place == null
        ? Optional.empty()
        : Optional.of(read.computeIfAbsent(path, _ -> content(place)));
  }

  private static StaticContent content(Place place) {
    String mediaType = MEDIA_TYPES.getOrDefault(extension(place.file), "");
    return new StaticContent(mediaType, place.folder.read(place.file), Map.of());
  }

  private static String extension(String file) {
    return file.substring(file.lastIndexOf('.') + 1);
  }
}
