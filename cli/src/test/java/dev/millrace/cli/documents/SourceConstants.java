package dev.millrace.cli.documents;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The constants of the published modules: those whose names say that they are limits, and values. */
public final class SourceConstants {
  private static final List<String> MODULES =
      List.of(
          "api",
          "cli",
          "client",
          "cluster",
          "core",
          "engine",
          "http",
          "server",
          "store-fs",
          "store-postgres",
          "tls");

  private static final Pattern LIMIT =
      Pattern.compile(
          "^ +(?:(?:public|private|static|final) )*(?:int|long|double|Duration|BigDecimal)"
              + " (\\w*(?:MAX|MOST|LONGEST|LARGEST|LIMIT)\\w*) *=",
          Pattern.MULTILINE);

  private final Map<String, Path> files = new TreeMap<>(); // by the full name of the class

  /**
   * @param root of the repository
   */
  public SourceConstants(Path root) throws IOException {
    for (String module : MODULES) {
      Path sources = root.resolve(module).resolve("src/main/java");
      try (Stream<Path> all = Files.walk(sources)) {
        all.filter(file -> file.toString().endsWith(".java"))
            .forEach(file -> files.put(className(sources.relativize(file)), file));
      }
    }
  }

  private static String className(Path file) {
    return file.toString().replaceFirst("\\.java$", "").replace('/', '.');
  }

  /**
   * All constants whose names say that they are a limit, and all parts of records called {@code
   * …Limits} with a {@code DEFAULT}, by the full name of their file's class.
   */
  public Collection<String> limits() throws IOException, ReflectiveOperationException {
    Collection<String> found = new TreeSet<>();
    for (Map.Entry<String, Path> file : files.entrySet()) {
      Matcher constant = LIMIT.matcher(Files.readString(file.getValue()));
      while (constant.find()) {
        found.add(file.getKey() + "." + constant.group(1));
      }
      if (file.getKey().endsWith("Limits")) {
        addParts(Class.forName(file.getKey()), file.getKey() + ".DEFAULT", found);
      }
    }
    return found;
  }

  private static void addParts(Class<?> type, String path, Collection<String> found) {
    if (!type.isRecord()) {
      return;
    }
    for (RecordComponent part : type.getRecordComponents()) {
      String name = path + "." + part.getName();
      if (part.getType().isRecord()) {
        addParts(part.getType(), name, found);
      } else {
        found.add(name);
      }
    }
  }

  /**
   * The full name of a constant.
   *
   * @param name begins with the class, before which the end of its package may stand
   * @return the name of the class, and what follows it
   */
  public String fullName(String name) {
    Matcher parts = Pattern.compile("((?:[a-z]\\w*\\.)*[A-Z]\\w*)\\.(.+)").matcher(name);
    if (!parts.matches()) {
      throw new IllegalArgumentException("no class in \"" + name + "\"");
    }
    List<String> classes = new ArrayList<>(files.keySet());
    classes.removeIf(known -> !("." + known).endsWith("." + parts.group(1)));
    if (classes.size() != 1) {
      throw new IllegalArgumentException(name + " must name one class, not " + classes);
    }
    return classes.getFirst() + "." + parts.group(2);
  }

  /** The value of a constant, or of a part of a record: {@code Limits.DEFAULT.sizes.maxBody}. */
  public Object value(String name) throws ReflectiveOperationException {
    String full = fullName(name);
    String type = files.keySet().stream().filter(it -> full.startsWith(it + ".")).findFirst().get();
    Class<?> owner = Class.forName(type);
    Object value = null;
    for (String part : full.substring(type.length() + 1).split("\\.")) {
      if (value != null) {
        Method accessor = value.getClass().getDeclaredMethod(part);
        accessor.setAccessible(true);
        value = accessor.invoke(value);
      } else if (Character.isUpperCase(part.charAt(0)) && !part.equals(part.toUpperCase())) {
        owner = Class.forName(owner.getName() + "$" + part);
      } else {
        Field field = owner.getDeclaredField(part);
        field.setAccessible(true);
        value = field.get(null);
      }
    }
    return value;
  }
}
