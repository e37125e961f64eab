/**
 * {@code millrace work}: builds a job from a prompt and options, or from a job file, and submits
 * it. Start at {@link WorkCommand}.
 */
@NullMarked
package dev.millrace.cli.submit;

import org.jspecify.annotations.NullMarked;
