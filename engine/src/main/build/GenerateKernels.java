import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes flat vector kernels from the methods that are marked as {@code KernelTemplate}, which says
 * how: {@code java GenerateKernels.java SOURCES TARGET}. The build runs it.
 */
final class GenerateKernels {
  private static final Path LANES = Path.of("dev/millrace/engine/internal/kernel/Lanes.java");

  private static final Pattern TEMPLATE =
      Pattern.compile("@KernelTemplate\\(([^)]*)\\)\\s+(static \\w+ )([\\w$]+)\\(([^)]*)\\) \\{");

  /** A method that is one expression. */
  private static final Pattern MACRO =
      Pattern.compile("static \\w+ (\\w+)\\(([^)]*)\\) \\{\\s+return ([^;]*);");

  private record Macro(Pattern call, List<String> parameters, String expression) {}

  private final List<Macro> macros = new ArrayList<>();
  private final StringBuilder out = new StringBuilder();

  /** How many vectors of rows and how many columns the kernel has that is being written. */
  private int rows;

  private int columns;

  private GenerateKernels(String lanes) {
    for (MatchResult macro : MACRO.matcher(lanes).results().toList()) {
      Pattern call = Pattern.compile("(?<![.\\w])" + macro.group(1) + "\\(");
      macros.add(new Macro(call, names(macro.group(2)), macro.group(3).replaceAll("\\s+", " ")));
    }
  }

  public static void main(String[] arguments) throws IOException {
    Path sources = Path.of(arguments[0]);
    String lanes = Files.readString(sources.resolve(LANES));
    try (var files = Files.walk(sources)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".java")).toList()) {
        String text = Files.readString(file);
        if (TEMPLATE.matcher(text).find()) {
          String name = file.getFileName().toString().replaceAll("(Matrix)?\\.java", "Kernel");
          Path target = Path.of(arguments[1]).resolve(sources.relativize(file));
          Files.createDirectories(target.getParent());
          String kernels = new GenerateKernels(lanes).kernels(name, text, lanes);
          write(target.resolveSibling(name + ".java"), kernels);
        }
      }
    }
  }

  /** A file that has not changed keeps its time, so that nothing is compiled again. */
  private static void write(Path file, String text) throws IOException {
    if (!Files.exists(file) || !Files.readString(file).equals(text)) {
      Files.writeString(file, text);
    }
  }

  private String kernels(String file, String text, String lanes) {
    out.append(text, 0, text.indexOf("/**"));
    if (text.contains("extends Lanes")) {
      out.append("import static dev.millrace.engine.internal.kernel.Lanes.*;\n\n");
      out.append(lanes, lanes.indexOf("import"), lanes.indexOf("/**"));
    }
    out.append("/** Generated from templates. */\nfinal class ").append(file).append(" {\n");
    for (MatchResult template : TEMPLATE.matcher(text).results().toList()) {
      for (String variant : options(template.group(1), "variants", "")) {
        kernels(template, text, variant);
      }
    }
    return out.append("}\n").toString();
  }

  /** A kernel for each number of columns; if there are several, also a method that chooses one. */
  private void kernels(MatchResult template, String text, String variant) {
    String[] widths = options(template.group(1), "columns", "1");
    String name = template.group(3).replace("$v", variant);
    String parameters = template.group(4).replaceAll("\\s+", " ").strip();
    String body = text.substring(template.end(), end(text, template.end() - 1) - 1);
    rows = Integer.parseInt(options(template.group(1), "rows", "2")[0]);
    StringBuilder cases = new StringBuilder();
    for (String width : widths) {
      columns = Integer.parseInt(width);
      String each = widths.length == 1 ? name : name + width;
      out.append(template.group(2)).append(each).append("(" + parameters + ") {\n");
      expand(body.replaceAll("//.*", "").replace("$v", variant).replace("$n", width));
      out.append("}\n\n");
      String arguments = String.join(", ", names(parameters));
      cases.append("case %s -> %s(%s);\n".formatted(width, each, arguments));
    }
    if (widths.length > 1) {
      out.append(template.group(2)).append(name).append("(int columns, " + parameters + ") {\n");
      out.append("switch (columns) {\n").append(cases);
      out.append("default -> throw new IllegalArgumentException();\n}\n}\n\n");
    }
  }

  /** The names of parameters. */
  private static List<String> names(String parameters) {
    return split(parameters.replaceAll("[\\w\\[\\]]+ ", ""));
  }

  private static String[] options(String text, String name, String otherwise) {
    Matcher option = Pattern.compile(name + " = (\\{[^}]*}|\\d+)").matcher(text);
    return (option.find() ? option.group(1).replaceAll("[{}\"\\s]", "") : otherwise).split(",");
  }

  /**
   * Writes statements: those that name {@code $r}, once for each vector of rows; those that name
   * {@code $c}, and blocks without a head that do, once for each column.
   */
  private void expand(String code) {
    for (int from = 0, to; !code.substring(from).isBlank(); from = to) {
      to = end(code, from);
      String statement = code.substring(from, to).strip();
      int block = statement.endsWith("}") ? statement.indexOf('{') : -1;
      if (block < 0 && statement.contains("$r")) {
        repeat(statement, "$r", rows);
      } else if (block < 0 && statement.contains("$c")) {
        repeat(statement, "$c", columns);
      } else if (block < 0) {
        out.append(inlined(statement.replaceAll("\\s+", " "))).append('\n');
      } else {
        String inner = statement.substring(block + 1, statement.length() - 1);
        boolean repeats = block == 0 && inner.contains("$c");
        for (int i = 0; i < (repeats ? columns : 1); i++) {
          out.append(inlined(statement.substring(0, block))).append("{\n");
          expand(repeats ? inner.replace("$c", String.valueOf(i)) : inner);
          out.append("}\n");
        }
      }
    }
  }

  private void repeat(String statement, String index, int times) {
    for (int i = 0; i < times; i++) {
      expand(statement.replace(index, String.valueOf(i)));
    }
  }

  /** The end of the statement or block that begins here. */
  private static int end(String code, int from) {
    int depth = 0;
    for (int i = from; i < code.length(); i++) {
      char c = code.charAt(i);
      depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
      if (depth == 0 && (c == ';' || c == '}')) {
        return i + 1;
      }
    }
    throw new IllegalArgumentException("no end of: " + code.substring(from));
  }

  /** Code with the expressions of macros instead of calls of them. */
  private String inlined(String code) {
    for (Macro macro : macros) {
      Matcher call = macro.call.matcher(code);
      if (call.find()) {
        int to = call.end();
        for (int depth = 1; depth > 0; to++) {
          depth += code.charAt(to) == '(' ? 1 : code.charAt(to) == ')' ? -1 : 0;
        }
        List<String> values = split(code.substring(call.end(), to - 1));
        String expression =
            Pattern.compile("(?<!\\.)\\b(" + String.join("|", macro.parameters) + ")\\b")
                .matcher(macro.expression)
                .replaceAll(it -> values.get(macro.parameters.indexOf(it.group(1))));
        return inlined(
            code.substring(0, call.start()) + "(" + expression + ")" + code.substring(to));
      }
    }
    return code;
  }

  /** What commas outside of parentheses separate. */
  private static List<String> split(String list) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i <= list.length(); i++) {
      char c = i < list.length() ? list.charAt(i) : ',';
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0) {
        parts.add(list.substring(from, i).strip());
        from = i + 1;
      }
    }
    return parts;
  }
}
