package dev.millrace.engine.internal.nativecode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.engine.ChildJvm;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.kernel.KernelChoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The library of native kernels: where it comes from, which part of it runs, and when none does. */
class NativeKernelsTest {
  private static final byte[] LIBRARY = {1, 2, 3};
  private static final String HASH =
      "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81";

  @TempDir private Path directory;

  /** The class path's JVM with these properties: what computes there, and why it is not native. */
  private static String asked(String... properties) throws IOException, InterruptedException {
    Process process =
        ChildJvm.of(NativeKernelsRun.class, List.of(properties))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String answer = new String(process.getInputStream().readAllBytes()).strip();
    assertThat(process.waitFor()).as(answer).isZero();
    return answer;
  }

  private static void assumeX86() {
    assumeThat(NativeLibrary.platform()).isEqualTo("linux-x86_64");
    assumeThat(NativeKernels.instructionSet()).as(NativeKernels.reason()).isNotNull();
  }

  @Test
  void linuxOnX86HasNativeKernels() {
    assumeThat(NativeLibrary.platform()).isEqualTo("linux-x86_64");
    if (NativeKernels.instructionSet() == null) {
      assertThat(NativeKernels.reason()).contains("the processor has neither");
    } else {
      assertThat(KernelChoice.reasonAgainstNative()).isEmpty();
      assertThat(KernelChoice.of(KernelType.NATIVE)).isEqualTo(KernelType.NATIVE);
      assertThat(KernelChoice.of(KernelType.VECTOR)).isEqualTo(KernelType.VECTOR);
    }
  }

  @Test
  void anInstructionSetCanBeChosen() throws Exception {
    assumeX86();
    assertThat(asked("-Dmillrace.native=avx2")).isEqualTo("NATIVE avx2");
  }

  @ParameterizedTest
  @CsvSource({
    "millrace.native=off, millrace.native is off",
    "millrace.native=mmx, 'millrace.native is \"mmx\": it must be off, or an instruction set'",
    "os.arch=riscv64, there are none for linux-riscv64",
    "java.io.tmpdir=/nowhere, /nowhere",
  })
  void withoutThemVectorsComputeAndTheReasonIsKnown(String property, String reason)
      throws Exception {
    assumeX86();
    assertThat(asked("-D" + property)).startsWith("VECTOR ").contains(reason);
  }

  @Test
  void theLibraryIsInADirectoryThatOnlyTheOwnerCanEnter() throws Exception {
    Path made = NativeLibrary.ownerOnlyDirectory(directory);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
        .isEqualTo("rwx------");
    assertThat(made.getParent()).isEqualTo(directory);
  }

  @Test
  void nothingOfItIsLeftInTheTemporaryDirectory() throws Exception {
    assumeX86();
    assertThat(asked("-Djava.io.tmpdir=" + directory)).startsWith("NATIVE ");
    assertThat(directory).isEmptyDirectory();
  }

  /** The boot loader's resources come first. */
  @Test
  void aLibraryWithAnotherHashIsNotUsed() throws Exception {
    assumeX86();
    Path hash = directory.resolve("dev/millrace/engine/internal/nativecode/linux-x86_64");
    Files.createDirectories(hash);
    Files.writeString(hash.resolve("kernels.so.sha256"), HASH);
    assertThat(asked("-Xbootclasspath/a:" + directory))
        .startsWith("VECTOR ")
        .contains("has the SHA-256")
        .contains("not " + HASH);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aChangedLibraryIsNotLoaded(int at) throws Exception {
    Path file = directory.resolve("kernels.so");
    Files.write(file, LIBRARY);
    NativeLibrary.checkHash(file, HASH);
    byte[] changed = LIBRARY.clone();
    changed[at] ^= 64;
    Files.write(file, changed);
    assertThatThrownBy(() -> NativeLibrary.checkHash(file, HASH))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("not " + HASH);
  }
}
