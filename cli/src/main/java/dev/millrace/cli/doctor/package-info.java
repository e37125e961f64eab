/** The checks of {@code millrace doctor}: each looks at one thing and says what to do about it. */
@NullMarked
package dev.millrace.cli.doctor;

import org.jspecify.annotations.NullMarked;
