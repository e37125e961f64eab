/**
 * {@code millrace doctor}: checks this machine and a workspace. Each check looks at one thing and
 * says what to do about it. Start at {@link DoctorCommand}.
 */
@NullMarked
package dev.millrace.cli.doctor;

import org.jspecify.annotations.NullMarked;
