package dev.millrace.engine.internal.tensor;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that is never called: the build writes flat kernels from it, in a class that is
 * named like the file ({@code Q4_0Kernel}), one for each number of columns, which is appended to the
 * method's name. A call that C2 does not inline would put every vector on the heap.
 *
 * <ul>
 *   <li>A statement that names {@code $c} is repeated for each column, and one that names {@code $r}
 *       for each vector of rows, with the number instead. A block in braces of its own that
 *       names {@code $c} is repeated as a whole.
 *   <li>{@code $n} is the number of columns, and {@code $v} the variant.
 *   <li>Calls of {@code Lanes} become the expressions there.
 * </ul>
 *
 * <p>Templates are in a nested class that is never loaded, as the Vector API may be absent.
 */
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.METHOD)
public @interface KernelTemplate {
  /** For how many columns there are kernels. */
  int[] columns();

  /** How many vectors of rows a kernel computes. */
  int rows() default 2;

  /** What {@code $v} stands for; there are kernels for each. */
  String[] variants() default "";
}
