package dev.millrace.engine.internal.nativecode;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.kernel.KernelChoice;

/** The main class of a JVM with other properties: prints what computes there. */
final class NativeKernelsRun {
  private NativeKernelsRun() {}

  public static void main(String[] args) {
    System.out.println(
        KernelChoice.of(KernelType.NATIVE)
            + " "
            + KernelChoice.nativeSet()
            + KernelChoice.reasonAgainstNative());
  }
}
