package dev.millrace.engine.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the build generates: {@link MatrixLoaderTest} shows that it has the bits of the
 * oracle. */
class GeneratedKernelsTest {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final Path BUILT = Path.of("target/generated-sources/kernels");
  private static final String LANES = "dev/millrace/engine/internal/kernel/Lanes.java";

  @TempDir private Path directory;

  @Test
  void aTemplateBecomesAKernelForEachNumberOfColumns() throws Exception {
    Path sources = directory.resolve("sources");
    Files.createDirectories(sources.resolve(LANES).getParent());
    Files.writeString(
        sources.resolve(LANES),
        """
        import static java.lang.Math.fma;
        /** Words. */
          static float half(float[] a, int at) {
            return a[at] / 2;
          }
        """);
    Files.writeString(
        sources.resolve("SumMatrix.java"),
        """
        import java.util.List;

        /** A sum. */
          private static final class Template extends Lanes {
            @KernelTemplate(columns = {1, 2})
            static void sum(float[] a, int n) {
              float s$r$c = 0; // a comment
              for (int k = 0; k < n; k++) {
                float v$r = half(a, k + n * $r);
                {
                  float y = a[$c];
                  s$r$c = fma(v$r, y, s$r$c);
                }
              }
              if ($n == 1) {
                a[$c] = s0$c + s1$c;
              }
            }
          }
        """);
    generate(sources, directory);
    assertThat(directory.resolve("SumKernel.java"))
        .hasContent(
            """
            import java.util.List;

            import static dev.millrace.engine.internal.kernel.Lanes.*;

            import static java.lang.Math.fma;
            /** Generated from templates. */
            final class SumKernel {
            static void sum1(float[] a, int n) {
            float s00 = 0;
            float s10 = 0;
            for (int k = 0; k < n; k++) {
            float v0 = (a[k + n * 0] / 2);
            float v1 = (a[k + n * 1] / 2);
            {
            float y = a[0];
            s00 = fma(v0, y, s00);
            s10 = fma(v1, y, s10);
            }
            }
            if (1 == 1) {
            a[0] = s00 + s10;
            }
            }

            static void sum2(float[] a, int n) {
            float s00 = 0;
            float s01 = 0;
            float s10 = 0;
            float s11 = 0;
            for (int k = 0; k < n; k++) {
            float v0 = (a[k + n * 0] / 2);
            float v1 = (a[k + n * 1] / 2);
            {
            float y = a[0];
            s00 = fma(v0, y, s00);
            s10 = fma(v1, y, s10);
            }
            {
            float y = a[1];
            s01 = fma(v0, y, s01);
            s11 = fma(v1, y, s11);
            }
            }
            if (2 == 1) {
            a[0] = s00 + s10;
            a[1] = s01 + s11;
            }
            }

            static void sum(int columns, float[] a, int n) {
            switch (columns) {
            case 1 -> sum1(a, n);
            case 2 -> sum2(a, n);
            default -> throw new IllegalArgumentException();
            }
            }

            }
            """);
  }

  @Test
  void kernelsAreThoseOfTheSources() throws Exception {
    generate(SOURCES, directory);
    List<Path> kernels = files(directory);
    assertThat(kernels).hasSizeGreaterThan(6);
    for (Path kernel : kernels) {
      assertThat(kernel).hasSameTextualContentAs(BUILT.resolve(directory.relativize(kernel)));
    }
  }

  /** A call of anything else may not be inlined, and vectors would live on the heap. */
  @Test
  void kernelsCallTheJdkOnly() throws Exception {
    for (Path kernel : files(BUILT)) {
      String name = BUILT.relativize(kernel).toString().replace(".java", "");
      for (MethodModel method :
          ClassFile.of().parse(Path.of("target/classes", name + ".class")).methods()) {
        Set<String> called = called(method);
        boolean chooses = called.remove(name);
        assertThat(called)
            .as("%s.%s", name, method.methodName())
            .allMatch(it -> it.matches(chooses ? "java/lang/\\w+Exception" : "(java|jdk)/.*"));
      }
    }
  }

  private static Set<String> called(MethodModel method) {
    return method.code().stream()
        .flatMap(code -> code.elementStream())
        .filter(InvokeInstruction.class::isInstance)
        .map(it -> ((InvokeInstruction) it).owner().asInternalName())
        .collect(Collectors.toSet());
  }

  private static List<Path> files(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  private static void generate(Path sources, Path target) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                java,
                "-XX:TieredStopAtLevel=1",
                "src/main/build/GenerateKernels.java",
                sources.toString(),
                target.toString())
            .inheritIO()
            .start();
    assertThat(process.waitFor()).isZero();
  }
}
