package dev.millrace.cli.doctor;

import dev.millrace.engine.internal.kernel.KernelChoice;

/** Checks whether models compute with native kernels here. */
final class KernelCheck {
  private static final String SUBJECT = "kernels";

  void run(Findings findings) {
    String reason = KernelChoice.reasonAgainstNative();
    if (reason.isEmpty()) {
      findings.ok(SUBJECT, "native, " + KernelChoice.nativeSet() + "; they passed their test");
    } else {
      findings.warn(
          SUBJECT,
          "not native, as "
              + reason
              + ": Q4_0, Q4_K and Q6_K compute at half of the speed, with the same output",
          "native kernels need Linux on x86-64 with AVX2, and a temporary directory"
              + " (java.io.tmpdir) that can be written and may have libraries");
    }
  }
}
