package dev.millrace.cli.doctor;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.error.EngineException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Checks how wide the vectors are with which models compute. The doctor's own JVM has no Vector
 * API, but it has the same limit for vectors as the one that runs a model.
 */
public final class VectorCheck {
  private static final String SUBJECT = "vectors";
  private static final String MODULE = "jdk.incubator.vector";

  /** The kernels know 128, 256 and 512 bits. */
  private static final int LEAST = 128;

  private static final int MOST = 512;

  private final Path cpuInfo;
  private final OptionalInt jvmBits;

  public VectorCheck() {
    this(Path.of("/proc/cpuinfo"), jvmBits());
  }

  /**
   * @param jvmBits the widest vectors of this JVM, if it says
   */
  VectorCheck(Path cpuInfo, OptionalInt jvmBits) {
    this.cpuInfo = cpuInfo;
    this.jvmBits = jvmBits;
  }

  /** What a processor offers. */
  private record Processor(String feature, int bits, boolean slow) {}

  private static final List<Processor> KNOWN =
      List.of(
          new Processor("avx512f", 512, false),
          new Processor("avx2", 256, false),
          new Processor("sse2", 128, true),
          new Processor("asimd", 128, false));

  public void run(Findings findings) {
    if (ModuleFinder.ofSystem().find(MODULE).isEmpty()) {
      findings.warn(
          SUBJECT,
          "this Java has no module " + MODULE + ": models run many times slower",
          "install a whole JDK, not a reduced runtime");
      return;
    }
    OptionalInt asked;
    try {
      asked = KernelType.vectorBits();
    } catch (EngineException e) {
      findings.fail(SUBJECT, e.getMessage(), "correct it, or leave it out");
      return;
    }
    Processor processor = processor();
    String offered =
        processor == null
            ? ""
            : "; the processor offers " + processor.bits + " bits (" + processor.feature + ")";
    if (asked.isPresent()) {
      findings.ok(SUBJECT, asked.getAsInt() + " bits, by millrace.vector.bits" + offered);
      return;
    }
    int bits = Math.clamp(jvmBits.orElse(processor == null ? LEAST : processor.bits), LEAST, MOST);
    if (bits == LEAST && processor != null && (processor.slow || processor.bits > LEAST)) {
      findings.warn(
          SUBJECT,
          bits + " bits: models run slowly" + offered,
          "use a processor with AVX2; in a virtual machine, pass the host's processor through");
    } else {
      findings.ok(SUBJECT, bits + " bits, by the JVM" + offered);
    }
  }

  private @Nullable Processor processor() {
    String features = features();
    for (Processor processor : KNOWN) {
      if (features.contains(" " + processor.feature + " ")) {
        return processor;
      }
    }
    return null;
  }

  /** The line of the first processor: "flags" on x86, "Features" on ARM. */
  private String features() {
    try {
      for (String line : Files.readAllLines(cpuInfo)) {
        if (line.startsWith("flags") || line.startsWith("Features")) {
          return " " + line.substring(line.indexOf(':') + 1).strip() + " ";
        }
      }
    } catch (IOException e) {
      return ""; // not Linux: the JVM's answer is enough
    }
    return "";
  }

  private static OptionalInt jvmBits() {
    HotSpotDiagnosticMXBean jvm =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    try {
      return jvm == null
          ? OptionalInt.empty()
          : OptionalInt.of(8 * Integer.parseInt(jvm.getVMOption("MaxVectorSize").getValue()));
    } catch (IllegalArgumentException e) {
      return OptionalInt.empty(); // another JVM
    }
  }
}
