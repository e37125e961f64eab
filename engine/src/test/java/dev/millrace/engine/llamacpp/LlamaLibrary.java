package dev.millrace.engine.llamacpp;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * The native library, loaded once: the one in the directory that the property or environment
 * variable {@code LLAMA_LIB} names (a current build, with its backends beside it), else the one of
 * March 2025 in the jar of {@code de.kherud:llama}.
 */
@SuppressWarnings("restricted")
public final class LlamaLibrary {
  private static final Linker LINKER = Linker.nativeLinker();
  private static @Nullable LlamaLibrary loaded;
  private static @Nullable String refusal;

  private final SymbolLookup symbols;
  private final Map<String, MethodHandle> functions = new ConcurrentHashMap<>();
  private final StringBuffer complaints = new StringBuffer();

  private LlamaLibrary(SymbolLookup symbols) {
    this.symbols = symbols;
  }

  /** The library; where there is none for this platform, the test is skipped. */
  public static synchronized LlamaLibrary get() {
    if (loaded == null && refusal == null) {
      try {
        loaded = load();
      } catch (IOException | IllegalArgumentException | IllegalStateException e) {
        refusal = "llama.cpp cannot be loaded here: " + e.getMessage();
      }
    }
    if (loaded == null) {
      return Assumptions.abort(refusal);
    }
    return loaded;
  }

  /** Whether this is a current build, which knows the newer architectures. */
  public boolean isCurrent() {
    return symbols.find("llama_get_memory").isPresent();
  }

  /** A function of the library, linked once. */
  public MethodHandle function(
      String name, @Nullable MemoryLayout result, MemoryLayout... parameters) {
    return functions.computeIfAbsent(name, n -> link(n, result, parameters));
  }

  private MethodHandle link(
      String name, @Nullable MemoryLayout result, MemoryLayout... parameters) {
    MemorySegment address =
        symbols.find(name).orElseThrow(() -> new IllegalStateException("no function " + name));
    FunctionDescriptor shape =
        result == null
            ? FunctionDescriptor.ofVoid(parameters)
            : FunctionDescriptor.of(result, parameters);
    return LINKER.downcallHandle(address, shape);
  }

  /** What the library logged as errors since the last call. */
  String complaints() {
    synchronized (complaints) {
      String text = complaints.toString().strip();
      complaints.setLength(0);
      return text;
    }
  }

  private static LlamaLibrary load() throws IOException {
    Optional<Path> directory =
        Optional.ofNullable(System.getProperty("LLAMA_LIB", System.getenv("LLAMA_LIB")))
            .map(Path::of);
    SymbolLookup symbols = directory.isPresent() ? ofDirectory(directory.get()) : ofJar();
    LlamaLibrary library = new LlamaLibrary(symbols);
    library.catchLog();
    if (directory.isPresent()) {
      try (Arena arena = Arena.ofConfined()) {
        MethodHandle loadAll = library.function("ggml_backend_load_all_from_path", null, ADDRESS);
        call(() -> loadAll.invoke(arena.allocateFrom(directory.get().toString())));
      }
    }
    MethodHandle init = library.function("llama_backend_init", null);
    call(init::invoke);
    return library;
  }

  private static SymbolLookup ofDirectory(Path directory) throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> all = Files.list(directory)) {
      all.filter(
              file ->
                  file.getFileName()
                      .toString()
                      .matches("lib(llama|ggml|ggml-base)(\\.[v0-9.]+)?\\.(so|dylib)[0-9.]*"))
          .sorted()
          .forEach(files::add);
    }
    if (files.isEmpty()) {
      throw new IOException("no libllama in " + directory);
    }
    SymbolLookup symbols = name -> Optional.empty();
    for (Path file : files) {
      symbols = symbols.or(SymbolLookup.libraryLookup(file, Arena.global()));
    }
    return symbols;
  }

  private static SymbolLookup ofJar() throws IOException {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    boolean mac = os.contains("mac");
    String system = mac ? "Mac" : os.contains("win") ? "Windows" : "Linux";
    String machine = System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64";
    String name = System.mapLibraryName("jllama");
    String resource = "/de/kherud/llama/" + system + "/" + machine + "/" + name;
    try (InputStream in = LlamaLibrary.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("no " + resource + " on the class path");
      }
      Path file = Files.createTempFile("jllama", name);
      file.toFile().deleteOnExit();
      Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
      return SymbolLookup.libraryLookup(file, Arena.global());
    }
  }

  /** The library's log goes nowhere, but for errors, which a failure's message then quotes. */
  private void catchLog() {
    try {
      MethodHandle target =
          MethodHandles.lookup()
              .bind(
                  this,
                  "log",
                  MethodType.methodType(
                      void.class, int.class, MemorySegment.class, MemorySegment.class));
      MemorySegment stub =
          LINKER.upcallStub(
              target, FunctionDescriptor.ofVoid(JAVA_INT, ADDRESS, ADDRESS), Arena.global());
      MethodHandle set = function("llama_log_set", null, ADDRESS, ADDRESS);
      call(() -> set.invoke(stub, MemorySegment.NULL));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Called from any thread of the library. Level 4 is ggml's {@code GGML_LOG_LEVEL_ERROR}. */
  private void log(int level, MemorySegment text, MemorySegment data) {
    if (level == 4 && complaints.length() < 4096) {
      complaints.append(text.reinterpret(65536).getString(0));
    }
  }

  /** A call whose arguments have the types that the function's descriptor says. */
  @FunctionalInterface
  interface Call<T> {
    T run() throws Throwable;
  }

  /** Calls the library. Native functions throw nothing. */
  static <T extends @Nullable Object> T call(Call<T> call) {
    try {
      return call.run();
    } catch (Throwable e) {
      throw new IllegalStateException("a call of llama.cpp does not fit its descriptor", e);
    }
  }
}
